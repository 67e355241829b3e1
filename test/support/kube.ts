import type { KubeObject } from '../../src/kube/record-codec.ts';
import { servedTypes } from './builders.ts';

/** An object as the API server shows it: `v1 ConfigMap app`, in `shop`, with the uid `uid-app`. */
export function kube(text: string, metadata: object = {}, fields: object = {}): KubeObject {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  const namespaced = servedTypes.find(apiVersion, kind)?.namespaced ?? true;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespaced && { namespace: 'shop' }), uid: `uid-${name}`, ...metadata },
    ...fields,
  };
}

import type { KubeObject } from '../../src/kube/record-codec.ts';
import { garbageCollectorHealthReport } from '../../src/questions/why/document.ts';
import { garbageCollectorHealth } from '../../src/why/garbage-collector/health.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { asked, readAt } from './diagnosed.ts';

/** What is answered otherwise than by a cluster that holds no more than the objects; false: nothing is. */
export type Otherwise = (query: Query) => object | false;

/** What `why --gc` reports of a cluster that holds these objects. */
export async function healthReport(
  answers: Otherwise,
  objects: readonly KubeObject[],
  types = servedTypes,
  onlyReads = false,
) {
  const known = answerFromObjects(objects, types, readAt);
  const { finding } = await investigate(
    { ...asked, types, onlyReads },
    garbageCollectorHealth,
    (query) => (answers(query) || known(query)) as Answer,
  );
  return garbageCollectorHealthReport(finding, undefined);
}

/** An APIService whose server answers or does not. */
export const apiService = (status: string, group = 'metrics.example.com'): KubeObject => {
  const service = { namespace: 'x', name: 'y' };
  const fields = {
    spec: { group, version: 'v1', service },
    status: { conditions: [{ type: 'Available', status, message: 'no endpoints' }] },
  };
  return kube(`apiregistration.k8s.io/v1 APIService v1.${group}`, {}, fields);
};

/** A webhook of which no Service exists. */
export const asking = {
  name: 'guard.example.com',
  clientConfig: { service: { namespace: 'x', name: 'gone' } },
  rules: [{ apiGroups: ['*'], resources: ['*'], operations: ['DELETE'] }],
};
export const hook = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration guard';

/** An object of a ConfigMap that does not exist. */
export const garbage = (name: string, kind = 'v1 ConfigMap') =>
  kube(`${kind} ${name}`, {
    namespace: 'shop',
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-gone' }],
  });

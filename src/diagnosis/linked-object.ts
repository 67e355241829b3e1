import type { ObjectRecord } from '../kube/object-record.ts';
import { apiVersionOf } from '../kube/resource-type.ts';

/** An object by its coordinates. */
export interface LinkedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Where a record is, without the rest of it. */
export function linkedObject(object: ObjectRecord | LinkedObject): LinkedObject {
  const { namespace, name, uid } = object;
  if (!('type' in object)) {
    return { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid };
  }
  return { apiVersion: apiVersionOf(object.type), kind: object.type.kind, namespace, name, uid };
}

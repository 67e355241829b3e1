import type { ObjectReference } from '../../kube/object-reference.ts';

/** `Deployment/web`: the name of an object in a table. */
export function tableName({ kind, name }: Pick<ObjectReference, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** `Pod/db-0 in orders`: the same where a table shows objects of several namespaces without a column for them. */
export function tablePlace(object: Pick<ObjectReference, 'kind' | 'name' | 'namespace'>): string {
  const name = tableName(object);
  return object.namespace === '' ? name : `${name} in ${object.namespace}`;
}

import { compareText } from './names.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from './resource-type.ts';

/** Names one object: in documents, steps, plans and backups. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** Empty for what was never applied, and where only the name is known. */
  readonly uid: string;
}

/**
 * Where an object is or would be. It is no reference: it names a place, which may be empty or hold another
 * object of that name later, and it is the same place in every version of the kind.
 */
export interface ObjectLocation {
  readonly type: ResourceType;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** What has an identity: a record, a saved object, or anything that a reference was put into. */
type Identified = ObjectReference | (ObjectLocation & { readonly uid: string });

/** What a person knows an object by. */
type Named = Pick<ObjectReference, 'kind' | 'namespace' | 'name'> | ObjectLocation;

/** `Deployment web in namespace shop`, `Node worker-1`: in sentences. */
export function inWords(object: Named): string {
  const { namespace, name } = object;
  return `${kindOf(object)} ${name}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
}

/** `Deployment shop/web`, `Node worker-1`: in titles. */
export function fullNameOf(object: Named): string {
  const { namespace, name } = object;
  return `${kindOf(object)} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** `Deployment web`: where the namespace is known. */
export function kindAndName(
  object: Pick<ObjectReference, 'kind' | 'name'> | Pick<ObjectLocation, 'type' | 'name'>,
): string {
  return `${kindOf(object)} ${object.name}`;
}

function kindOf(object: Pick<ObjectReference, 'kind'> | Pick<ObjectLocation, 'type'>): string {
  return 'kind' in object ? object.kind : object.type.kind;
}

/** The reference to an object, without the rest of it. */
export function referenceTo(object: Identified): ObjectReference {
  const { namespace, name, uid } = object;
  if ('apiVersion' in object) {
    return { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid };
  }
  return { apiVersion: apiVersionOf(object.type), kind: object.type.kind, namespace, name, uid };
}

export function referenceToPlace({ type, namespace, name }: ObjectLocation): ObjectReference {
  return referenceTo({ type, namespace, name, uid: '' });
}

/** Identifies an object, also one that has no uid yet. */
export function objectKey(object: Identified): string {
  if (object.uid !== '') return object.uid;
  const { apiVersion, kind, namespace, name } = referenceTo(object);
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

/** The same for every version of a kind. */
export function locationKey({ type, namespace, name }: ObjectLocation): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}

/** By kind, namespace, name and uid: an order that depends on content only. */
export function compareObjects(a: ObjectReference, b: ObjectReference): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid)
  );
}

/** `Deployment/web`: the name of an object in a table. */
export function tableName({ kind, name }: Pick<ObjectReference, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** `Pod/db-0 in orders`: the same where a table shows objects of several namespaces without a column for them. */
export function tablePlace(object: Pick<ObjectReference, 'kind' | 'name' | 'namespace'>): string {
  const name = tableName(object);
  return object.namespace === '' ? name : `${name} in ${object.namespace}`;
}

import type { OwnerReference } from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { ObjectIdentity } from '../../simulator/engine/timeline.ts';

/** An object as a backup or a foreign dump shows it. */
export interface SavedObject {
  readonly type: ResourceType;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** When it was saved; empty for a manifest that was never applied. */
  readonly uid: string;
  readonly ownerReferences: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  /** status.phase, or the condition with which a Job has finished. */
  readonly phase: string | undefined;
  /** Undefined for an object that lived on and only lost a reference, and with a fault. */
  readonly manifest: KubeObject | undefined;
  /** Why its manifest cannot be used. */
  readonly fault: string | undefined;
  /** Only of a CustomResourceDefinition: every version that it serves. */
  readonly defines?: readonly ResourceType[] | undefined;
}

/** Where an object is or would be, in whatever version of its kind. */
export interface Coordinates {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** The same for all versions of a kind. */
export function keyOf({ type, namespace, name }: Coordinates): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}

export function identityOf(object: Coordinates & { readonly uid: string }): ObjectIdentity {
  const { type, namespace, name, uid } = object;
  return { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, uid };
}

/** `Deployment web in namespace shop`. */
export function inWords({ type, namespace, name }: Coordinates): string {
  return `${type.kind} ${name}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
}

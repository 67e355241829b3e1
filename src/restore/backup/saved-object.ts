import { crdTypes, isCustomResourceDefinition } from '../../files/crd-types.ts';
import { conditionOf, type Json, textAt, textsOf } from '../../kube/json-value.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

/** An object as a backup or a foreign dump shows it. */
export interface SavedObject
  extends ObjectLocation,
    Pick<ObjectRecord, 'uid' | 'ownerReferences' | 'finalizers'> {
  /** status.phase, or the condition with which a Job has finished. */
  readonly phase: string | undefined;
  /** Undefined for an object that lived on and only lost a reference, and with a fault. */
  readonly manifest: KubeObject | undefined;
  /** metadata.managedFields, where a backup has them. */
  readonly fieldManagers?: readonly Json[] | undefined;
  /** Why its manifest cannot be used. */
  readonly fault: string | undefined;
  /** Only of a CustomResourceDefinition: every version that it serves. */
  readonly defines?: readonly ResourceType[] | undefined;
}

/** The kinds that a saved CustomResourceDefinition will serve when it is there again; nothing for others. */
export function definedBy(manifest: KubeObject | undefined): Pick<SavedObject, 'defines'> {
  return manifest && isCustomResourceDefinition(manifest) ? { defines: crdTypes(manifest) } : {};
}

/** What the API server sets itself, and refuses or ignores in a new object. */
const serverSet = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

/**
 * Finalizers that a deletion adds, or that the control plane adds by itself. All others are kept:
 * an object whose controller did not get its finalizer back may later go without its clean-up.
 */
const comeBackByThemselves: ReadonlySet<string> = new Set([
  FOREGROUND,
  ORPHAN,
  'batch.kubernetes.io/job-tracking',
  'customresourcecleanup.apiextensions.k8s.io',
  'kubernetes.io/pv-protection',
  'kubernetes.io/pvc-protection',
  'service.kubernetes.io/load-balancer-cleanup',
]);

/**
 * The object as a manifest that creates it: without status and fields that the server sets. The
 * status is what controllers found out, and they find it out again. Owner references stay as they
 * are: which owners they lead to is decided when the object is restored.
 */
export function cleanObject(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  const kept: Record<string, unknown> = { ...metadata };
  for (const field of serverSet) delete kept[field];
  kept.finalizers = ownFinalizers(textsOf(metadata.finalizers));
  for (const field of ['finalizers', 'ownerReferences']) {
    if (Array.isArray(kept[field]) && kept[field].length === 0) delete kept[field];
  }
  return { apiVersion, kind, metadata: kept, ...rest };
}

/** Finalizers that a controller or a user added, and that a restored object gets again. */
export function ownFinalizers(finalizers: readonly string[]): string[] {
  return finalizers.filter((finalizer) => !comeBackByThemselves.has(finalizer));
}

/** status.phase, or the condition with which a Job has finished. */
export function phaseOf(object: Json): string | undefined {
  if (object.kind !== 'Job') return textAt(object, 'status.phase') || undefined;
  const finished = ['Complete', 'Failed'].filter(
    (type) => conditionOf(object, type)?.status === 'True',
  );
  return finished[0];
}

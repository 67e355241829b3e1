import { crdTypes, isCustomResourceDefinition } from '../../files/crd-types.ts';
import { conditionOf, type Json, textAt } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectLocation, ObjectReference } from '../../kube/object-reference.ts';
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
  /** It was being deleted already when it was saved. Backups of earlier versions do not say. */
  readonly isTerminating?: boolean;
  /** It was not asked for; this object needs it. */
  readonly neededBy?: ObjectReference;
}

/** The kinds that a saved CustomResourceDefinition will serve when it is there again; nothing for others. */
export function definedBy(manifest: KubeObject | undefined): Pick<SavedObject, 'defines'> {
  return manifest && isCustomResourceDefinition(manifest) ? { defines: crdTypes(manifest) } : {};
}

export function phaseOf(object: Json): string | undefined {
  if (object.kind !== 'Job') return textAt(object, 'status.phase') || undefined;
  const finished = ['Complete', 'Failed'].filter(
    (type) => conditionOf(object, type)?.status === 'True',
  );
  return finished[0];
}

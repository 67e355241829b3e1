import type { Json } from '../kube/json-value.ts';
import type { FieldManager, ObjectRecord } from '../kube/object-record.ts';
import { fieldManagersOf } from '../kube/record-codec.ts';

/**
 * What was read of a cluster besides its objects, by the question that it answers: so that a saved snapshot
 * answers it, too. A section that is missing was not read. Sections stay as they are saved, and are checked when
 * they are needed, by the room that knows what they mean.
 */
export interface Evidence {
  /** How the control plane and kubelets are configured (settings/settings-facts.ts). */
  readonly settings?: Json;
  /** What kubelets said of images and containers (kubelet/saved-nodes.ts). */
  readonly nodes?: readonly Json[];
  /** Who set owner references and finalizers of an object, by its uid: entries of metadata.managedFields. */
  readonly fieldManagers?: Readonly<Record<string, readonly Json[]>>;
  /** What the server said to questions that are not about objects (why/saved-answers.ts). */
  readonly answers?: readonly Json[];
}

/** Who set the references of an object: what was saved of it, or read with it. */
export function fieldManagersIn(
  evidence: Evidence | undefined,
): (record: ObjectRecord) => readonly FieldManager[] | undefined {
  return ({ uid, writers }) => fieldManagersOf(evidence?.fieldManagers?.[uid]) ?? writers;
}

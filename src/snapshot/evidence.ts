import { shellCommand, suggested } from '../command-line/shell-command.ts';
import { GcError } from '../errors.ts';
import type { Json } from '../kube/json-value.ts';
import type { FieldManager, ObjectRecord } from '../kube/object-record.ts';
import { fieldManagersOf } from '../kube/record-codec.ts';
import { InvalidDocument, type Schema } from '../syntax/document-part.ts';

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

/** The content of a saved section; throws a GcError `invalid-snapshot` that names the invalid field. */
export function readEvidence<T>(section: keyof Evidence, part: Schema<T>, value: unknown): T {
  return readPart(`evidence.${section}`, part, value);
}

/** Reads a part of a saved snapshot, which is at this place in it. */
export function readPart<T>(place: string, part: Schema<T>, value: unknown): T {
  try {
    return part(value);
  } catch (error) {
    if (error instanceof InvalidDocument) throw invalid(`its ${error.messageAt(place)}`);
    throw error;
  }
}

/** What is read is no saved snapshot, or not all of one. */
export function invalid(why: string): GcError {
  return new GcError(`the saved snapshot cannot be used: ${why}`, {
    code: 'invalid-snapshot',
    suggestions: [suggested('To save it again', shellCommand`kubectl gc snapshot save FILE`)],
  });
}

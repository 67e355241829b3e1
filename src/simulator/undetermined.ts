import type { ObjectRecord } from '../kube/object-record.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import type { Played } from './play.ts';
import { identityOf, type ObjectIdentity } from './timeline.ts';

/** An object whose end depends on an order that nobody controls (SIM-4). */
export interface Undetermined {
  readonly object: ObjectIdentity;
  readonly because: string;
}

/** Compares how each object of a part ended in one play and in others. */
export function compareEnds(
  records: readonly ObjectRecord[],
  shown: Played,
  others: readonly Played[],
): Undetermined[] {
  const undetermined: Undetermined[] = [];
  for (const record of records) {
    const first = endOf(shown, record);
    const ends = new Map([[signatureOf(first), first]]);
    for (const other of others) {
      const end = endOf(other, record);
      ends.set(signatureOf(end), end);
    }
    if (ends.size === 1) continue;
    const because = `${dependsOn(record)}: ${spellEnds(record, [...ends.values()])}`;
    undetermined.push({ object: identityOf(record), because });
  }
  return undetermined;
}

function endOf({ world }: Played, record: ObjectRecord): ObjectRecord | undefined {
  return world.state.current(record);
}

/** What of an end is a difference worth telling. */
function signatureOf(end: ObjectRecord | undefined): string {
  if (!end) return 'gone';
  const finalizers = [...end.finalizers].sort().join(',');
  const references = end.ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => `${uid}:${blockOwnerDeletion}`,
  );
  const phase = isPod(end) ? (end.facts?.phase ?? '') : '';
  const isTerminating = end.deletionTimestamp !== undefined;
  return `${isTerminating} ${finalizers} ${references.sort().join(',')} ${phase}`;
}

function dependsOn({ ownerReferences, finalizers }: ObjectRecord): string {
  const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`);
  if (owners.length > 1) {
    return `the outcome depends on which of ${owners.join(', ')} is seen first`;
  }
  if (finalizers.length > 0) {
    return `the outcome depends on whether its dependents are seen before ${finalizers.join(', ')} is removed`;
  }
  const around = owners[0] === undefined ? 'its dependents' : `${owners[0]} and its dependents`;
  return `the outcome depends on the order in which ${around} are seen`;
}

function spellEnds(before: ObjectRecord, ends: readonly (ObjectRecord | undefined)[]): string {
  const spelled = new Set(ends.map((end) => spellEnd(before, end)));
  return [...spelled].sort().join(', or ');
}

function spellEnd(before: ObjectRecord, end: ObjectRecord | undefined): string {
  if (!end) return 'it is gone';
  const state =
    end.deletionTimestamp === undefined
      ? 'it stays'
      : `it is left terminating (${end.finalizers.join(', ') || 'no finalizer'})`;
  if (before.ownerReferences.length === 0) return state;
  const owners = end.ownerReferences.map(
    ({ kind, name, blockOwnerDeletion }) =>
      `${kind} ${name}${blockOwnerDeletion === true ? ' (blocking)' : ''}`,
  );
  return `${state}, owned by ${owners.join(', ') || 'nobody'}`;
}

import type { ObjectRecord } from '../kube/object-record.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import type { Played } from './play.ts';
import { identityOf, type ObjectIdentity } from './timeline.ts';

/** An object whose end depends on an order that nobody controls (SIM-4). */
export interface Undetermined {
  readonly object: ObjectIdentity;
  readonly because: string;
}

/** Collects how each object of a part ends in one play and in others. */
export class Ends {
  readonly #records: readonly ObjectRecord[];
  readonly #first: readonly (ObjectRecord | undefined)[];
  /** By position, for objects that end differently: each end by its signature. */
  readonly #different = new Map<number, Map<string, ObjectRecord | undefined>>();

  constructor(records: readonly ObjectRecord[], shown: Played) {
    this.#records = records;
    this.#first = records.map((record) => shown.world.state.current(record));
  }

  add({ world: { state } }: Played): void {
    this.#records.forEach((record, at) => {
      const first = this.#first[at];
      const end = state.current(record);
      if (end === first) return;
      const signature = signatureOf(end);
      let ends = this.#different.get(at);
      if (!ends) {
        if (signature === signatureOf(first)) return;
        ends = new Map([[signatureOf(first), first]]);
        this.#different.set(at, ends);
      }
      ends.set(signature, end);
    });
  }

  undetermined(): Undetermined[] {
    return this.#records.flatMap((record, at) => {
      const ends = this.#different.get(at);
      if (!ends) return [];
      const because = `${dependsOn(record)}: ${spellEnds(record, [...ends.values()])}`;
      return [{ object: identityOf(record), because }];
    });
  }
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

import { errorMessage, isGcError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { inWords, locationKey } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { CoverageProblem } from './coverage.ts';
import type { Snapshot } from './snapshot.ts';

/** More that cannot be judged are a fault of the program, and not of objects. */
const mostSetAside = 20;

/** `same`: objects of the first snapshot, as they are in the one that is asked about. */
type SnapshotQuestion<T> = (
  known: Snapshot,
  same: (objects: readonly ObjectRecord[]) => readonly ObjectRecord[],
) => T;

/**
 * Asks a question about a snapshot. Where an object ends it by an error that no code expects, the question is asked without
 * what was read of that object, and a problem names it: all other objects keep their answers, and none is complete.
 */
export function isolated<T>(snapshot: Snapshot, question: SnapshotQuestion<T>): T {
  const ask = (known: Snapshot) =>
    question(known, (objects) => (known === snapshot ? objects : sameObjects(known, objects)));
  let known = snapshot;
  for (let left = mostSetAside; ; left--) {
    try {
      return ask(known);
    } catch (error) {
      const rest = isGcError(error) || left === 0 ? undefined : withoutCause(known, ask, error);
      if (!rest) throw error;
      known = rest;
    }
  }
}

/**
 * What each object says by itself while a snapshot is made; nothing where an error ends it that no code expects: the questions about the
 * snapshot name that object.
 */
export function saidByEach<T>(
  records: readonly ObjectRecord[],
  say: (record: ObjectRecord) => readonly T[],
): T[] {
  return records.flatMap((record) => {
    try {
      return say(record);
    } catch (error) {
      if (isGcError(error)) throw error;
      return [];
    }
  });
}

function sameObjects(
  { records }: Snapshot,
  objects: readonly ObjectRecord[],
): readonly ObjectRecord[] {
  const there = new Map(records.map((record) => [locationKey(record), record]));
  return objects.flatMap((object) => there.get(locationKey(object)) ?? []);
}

/** The snapshot without the spec and status, else without the whole, of one object with which the question fails. */
function withoutCause(
  known: Snapshot,
  ask: (snapshot: Snapshot) => unknown,
  error: unknown,
): Snapshot | undefined {
  const withoutFacts = (from: number, to = known.records.length): Snapshot => {
    const records = known.records.map((record, index) =>
      index < from || index >= to ? record : { ...record, facts: undefined },
    );
    return { ...known, records };
  };
  const withoutObjects = (from: number, to = known.records.length): Snapshot => {
    const { coverage } = known;
    const lost = new Set(known.records.slice(from, to).map(({ type }) => groupResourceOf(type)));
    const read = coverage.read.filter(({ resource }) => !lost.has(resource));
    const records = known.records.toSpliced(from, to - from);
    return { ...known, records, coverage: { ...coverage, read } };
  };
  for (const without of [withoutFacts, withoutObjects]) {
    const at = firstCause((count) => !fails(ask, without(count)), known.records.length);
    const record = at === undefined ? undefined : known.records[at];
    if (at === undefined || !record) continue;
    const rest = without(at, at + 1);
    const problems = [...rest.coverage.problems, problemOf(record, error)];
    return { ...rest, coverage: { ...rest.coverage, problems } };
  }
  return undefined;
}

/** The place of the object with which it fails first, where it passes with none and fails with all. */
function firstCause(passesWith: (count: number) => boolean, count: number): number | undefined {
  if (!passesWith(0)) return undefined;
  let passing = 0;
  let failing = count;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (passesWith(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}

function fails(ask: (snapshot: Snapshot) => unknown, snapshot: Snapshot): boolean {
  try {
    ask(snapshot);
    return false;
  } catch (error) {
    // That an object is not there is an answer.
    return !isGcError(error);
  }
}

function problemOf(record: ObjectRecord, error: unknown): CoverageProblem {
  const { type, namespace, name, place } = record;
  return {
    reason: 'unreadable',
    message: `${inWords(record)} could not be judged: ${errorMessage(error)}`,
    resource: groupResourceOf(type),
    namespace,
    name,
    ...place,
  };
}

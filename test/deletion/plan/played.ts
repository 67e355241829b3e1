import type { TouchedObject } from '../../../src/deletion/plan/play/touched-objects.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectKey, referenceTo } from '../../../src/kube/object-reference.ts';
import type { Step } from '../../../src/simulator/engine/timeline.ts';
import { Simulation } from '../../../src/simulator/simulation.ts';

/** A simulation after which these objects are left, and in which nothing else happened than `changes` say. */
export function left(
  objects: readonly ObjectRecord[],
  changes: Partial<Omit<Simulation, 'with'>> = {},
): Simulation {
  const { steps = [], events = [], stuck = [], ...outcome } = changes;
  return new Simulation(
    {
      replies: [],
      undetermined: [],
      unknown: [],
      ended: 'quiet',
      problems: [],
      dues: [],
      recorded: [],
      decisions: [],
      early: undefined,
      ...outcome,
      objects,
    },
    { steps: () => steps, events: () => events, stuck: () => stuck },
  );
}

/** The garbage collector deletes it, unless `changes` say otherwise. */
export function step(record: ObjectRecord, changes: Partial<Step> = {}): Step {
  return {
    at: '2026-01-03T00:00:00.000Z',
    actor: 'garbage-collector-controller',
    verb: 'delete',
    object: referenceTo(record),
    result: 'removed',
    because: `${changes.result ?? 'removed'} by a test`,
    rule: 'GC-22.13',
    ...changes,
  };
}

/** What differs from that. */
interface Changes extends Partial<Omit<TouchedObject, 'ends'>> {
  readonly ends?: Partial<TouchedObject['ends']>;
}

/** It goes, and would stay without the deletion, unless `changes` say otherwise. */
export function touched(record: ObjectRecord, changes: Changes = {}): TouchedObject {
  return {
    key: objectKey(record),
    identity: referenceTo(record),
    record,
    isTarget: false,
    ...changes,
    ends: { untouched: record, held: undefined, released: undefined, ...changes.ends },
  };
}

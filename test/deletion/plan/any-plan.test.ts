import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeletionIntent, Fate, Plan } from '../../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';
import { playDeletion } from '../../../src/deletion/plan/play/play-deletion.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectKey } from '../../../src/kube/object-reference.ts';
import { nodeNameOf, notRead } from '../../../src/kube/pod-use.ts';
import { groupResourceOf } from '../../../src/kube/resource-type.ts';
import { isNamespace, isPod, specFinalizersOf } from '../../../src/kube/well-known-kinds.ts';
import { withoutExamples } from '../../../src/simulator/engine/undetermined.ts';
import type { Simulation } from '../../../src/simulator/simulation.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import { randomCases } from '../../support/random-cases.ts';
import { context } from './planned.ts';

interface Case {
  readonly snapshot: Snapshot;
  readonly intent: DeletionIntent;
}

const anyCase: fc.Arbitrary<Case> = anySnapshot().chain((snapshot) =>
  fc
    .record({
      targets: fc.subarray([...snapshot.records], {
        maxLength: Math.min(3, snapshot.records.length),
      }),
      policy: fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const),
    })
    .map((intent) => ({ snapshot, intent })),
);

/** What a simulation ends with, by key: what is left of each object, or in which ways it may end. */
function endsOf(simulation: Simulation): Map<string, string> {
  const ends = new Map(simulation.objects.map((record) => [objectKey(record), spell(record)]));
  for (const { object, because } of [...simulation.unknown, ...simulation.undetermined]) {
    const key = objectKey(object);
    ends.set(key, `open: ${withoutExamples(because)} ${ends.get(key)}`);
  }
  return ends;
}

function spell({ deletionTimestamp, finalizers, ownerReferences }: ObjectRecord): string {
  const owners = ownerReferences.map(({ uid, blockOwnerDeletion: b }) => `${uid}=${b}`).sort();
  return [deletionTimestamp !== undefined, [...finalizers].sort(), owners].join(' ');
}

/** Each case is planned once, and played once more to compare with: simulations take their time. */
const inTime = { numRuns: randomCases(60) };

test('a plan equals the simulation in any cluster', { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(anyCase, ({ snapshot, intent }) => {
      const plan = planDeletion(snapshot, intent, context);
      const played = playDeletion(snapshot, intent, context);
      expectWholeAndNothingElse(plan, played, snapshot);
      expectTargetsFirst(plan, intent);
      expectReasons(plan, played.plays.held);
      expectTrueFates(plan, played.plays.held);
    }),
    inTime,
  );
});

/** The targets, what ends otherwise because of the deletion, what of theirs goes anyway, and nothing else. */
function expectWholeAndNothingElse(
  plan: Plan,
  played: ReturnType<typeof playDeletion>,
  { records }: Snapshot,
): void {
  const { plays } = played;
  const untouched = endsOf(plays.untouched);
  const [held, released] = [endsOf(plays.held), endsOf(plays.released)];
  const differs = records
    .map(objectKey)
    .filter((key) => [held, released].some((ends) => ends.get(key) !== untouched.get(key)));
  const expected = new Set([...differs, ...plan.requests.map(objectKey)]);
  const planned = new Set(plan.objects.map(objectKey));
  expect([...expected].filter((key) => !planned.has(key))).toEqual([]);
  expect(plan.objects).toHaveLength(planned.size);
  const left = new Map(plays.released.objects.map((record) => [objectKey(record), record]));
  const names = new Set(plan.objects.map(({ kind, name }) => `${kind} ${name}`));
  for (const record of records) {
    const key = objectKey(record);
    if (!planned.has(key) || expected.has(key)) continue;
    const isOfPlanned =
      record.ownerReferences.some(({ uid }) => planned.has(uid)) ||
      names.has(`Namespace ${record.namespace}`) ||
      names.has(`CustomResourceDefinition ${groupResourceOf(record.type)}`);
    expect([
      key,
      isOfPlanned,
      left.get(key)?.deletionTimestamp !== undefined || !left.has(key),
    ]).toEqual([key, true, true]);
  }
}

function expectTargetsFirst({ objects }: Plan, { targets }: DeletionIntent): void {
  const named = targets.map(objectKey);
  expect(objects.slice(0, named.length).map(objectKey)).toEqual(named);
  expect(objects.slice(0, named.length).every(({ wave }) => wave === 0)).toBe(true);
  expect(objects.slice(named.length).every(({ wave }) => wave > 0)).toBe(true);
}

function expectReasons({ objects, remarks }: Plan, simulation: Simulation): void {
  const left = new Map(simulation.objects.map((record) => [objectKey(record), record]));
  for (const object of objects) {
    const { because, rule, fate, blockedBy } = object;
    expect(because).not.toBe('');
    expect(rule).toMatch(/^[A-Z]+-\d/);
    const end = left.get(objectKey(object));
    const isBlocked = fate === 'terminating' && end !== undefined && hasNamedBlocker(end);
    expect([object, blockedBy.length > 0]).toEqual([object, isBlocked]);
  }
  for (const remark of remarks) expect(remark.objects).not.toEqual([]);
}

/**
 * Without a finalizer nothing but a pod can be terminating in a cluster, and nothing blocks it. Of a Node that was not
 * read there is no name.
 */
function hasNamedBlocker(record: ObjectRecord): boolean {
  if (record.finalizers.length > 0) return true;
  if (isNamespace(record)) return specFinalizersOf(record).length > 0;
  return isPod(record) && nodeNameOf(record) !== notRead;
}

/** Deleted objects do not exist, kept ones do, and what is open is unknown. */
function expectTrueFates(plan: Plan, simulation: Simulation): void {
  const left = new Map(simulation.objects.map((record) => [objectKey(record), record]));
  const open = new Set(
    [...simulation.unknown, ...simulation.undetermined].map(({ object }) => objectKey(object)),
  );
  for (const object of plan.objects) {
    const key = objectKey(object);
    const end = left.get(key);
    const state = !end ? 'gone' : end.deletionTimestamp === undefined ? 'there' : 'terminating';
    if (open.has(key)) expect(object.fate).toBe('unknown');
    else expect([object, states[object.fate] ?? state]).toEqual([object, state]);
  }
}

const states: Readonly<Record<Fate, string | undefined>> = {
  deleted: 'gone',
  recreated: 'gone',
  terminating: 'terminating',
  kept: 'there',
  orphaned: 'there',
  unknown: undefined,
};

test('the order in which objects were read does not matter', { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(anyCase, fc.infiniteStream(fc.nat()), ({ snapshot, intent }, numbers) => {
      const shuffled = snapshot.records
        .map((record) => ({ record, rank: numbers.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ record }) => record);
      expect(planDeletion({ ...snapshot, records: shuffled }, intent, context)).toEqual(
        planDeletion(snapshot, intent, context),
      );
    }),
    { numRuns: randomCases(25) },
  );
});

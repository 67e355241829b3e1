import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { inContentOrder } from '../../src/plan/in-content-order.ts';
import type { DeletionIntent } from '../../src/plan/intent.ts';
import { keyOf, keyOfRecord } from '../../src/plan/object-key.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { planDeletion } from '../../src/plan/plan-deletion.ts';
import { playDeletion } from '../../src/plan/play-deletion.ts';
import type { Simulation } from '../../src/simulator/simulate.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
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
      order: fc.constantFrom('server' as const, 'server' as const, 'leaf-first' as const),
    })
    .map(({ targets, policy, order }) => ({
      snapshot,
      intent: { targets, policy: order === 'leaf-first' ? 'Background' : policy, order },
    })),
);

function holdsForAny(check: (one: Case & { readonly plan: Plan }) => void, numRuns = 400): void {
  fc.assert(
    fc.property(anyCase, (one) => {
      check({ ...one, plan: planDeletion(one.snapshot, one.intent, context) });
    }),
    { numRuns },
  );
}

/** What a simulation ends with, by key: what is left of each object, or that it is open. */
function endsOf(simulation: Simulation): Map<string, string> {
  const ends = new Map(simulation.objects.map((record) => [keyOfRecord(record), spell(record)]));
  for (const { object, because } of [...simulation.unknown, ...simulation.undetermined]) {
    ends.set(keyOf(object), `open: ${because} ${ends.get(keyOf(object))}`);
  }
  return ends;
}

function spell({ deletionTimestamp, finalizers, ownerReferences }: ObjectRecord): string {
  const owners = ownerReferences.map(({ uid, blockOwnerDeletion: b }) => `${uid}=${b}`).sort();
  return [deletionTimestamp !== undefined, [...finalizers].sort(), owners].join(' ');
}

test('a plan holds the targets, what ends otherwise because of it, and nothing else', () => {
  holdsForAny(({ snapshot, intent, plan }) => {
    const played = playDeletion(inContentOrder(snapshot), intent, context);
    const without = endsOf(played.without);
    const after = endsOf(played.with);
    const differs = snapshot.records
      .map(keyOfRecord)
      .filter((key) => without.get(key) !== after.get(key));
    const expected = new Set([...differs, ...plan.requests.map(keyOf)]);
    expect(new Set(plan.objects.map(keyOf))).toEqual(expected);
    expect(plan.objects).toHaveLength(expected.size);
  });
});

test('the targets come first, as they were named', () => {
  holdsForAny(({ intent, plan }) => {
    const named = intent.targets.map(keyOfRecord);
    expect(plan.objects.slice(0, named.length).map(keyOf)).toEqual(named);
    if (intent.order !== 'server') return;
    expect(plan.objects.slice(0, named.length).every(({ wave }) => wave === 0)).toBe(true);
    expect(plan.objects.slice(named.length).every(({ wave }) => wave > 0)).toBe(true);
  });
});

test('every fate has a reason and a rule, and what cannot go is blocked by something', () => {
  holdsForAny(({ plan }) => {
    for (const { because, rule, fate, blockedBy } of plan.objects) {
      expect(because).not.toBe('');
      expect(rule).toMatch(/^(GC|SIM)-/);
      expect(blockedBy.length > 0).toBe(fate === 'terminating');
    }
  });
});

test('what is said to go is gone, what is said to stay is there, and what is open is unknown', () => {
  holdsForAny(({ snapshot, intent, plan }) => {
    const played = playDeletion(inContentOrder(snapshot), intent, context).with;
    const left = new Map(played.objects.map((record) => [keyOfRecord(record), record]));
    const open = new Set(
      [...played.unknown, ...played.undetermined].map(({ object }) => keyOf(object)),
    );
    for (const object of plan.objects) {
      const key = keyOf(object);
      const end = left.get(key);
      switch (object.fate) {
        case 'deleted':
        case 'recreated':
          expect([object, end]).toEqual([object, undefined]);
          break;
        case 'terminating':
          expect(end?.deletionTimestamp).toBeDefined();
          break;
        case 'kept':
        case 'orphaned':
          expect([object, end?.deletionTimestamp]).toEqual([object, undefined]);
          expect(end).toBeDefined();
          break;
        case 'unknown':
          break;
      }
      if (open.has(key)) expect(object.fate).toBe('unknown');
    }
  });
});

test('the order in which objects were read does not matter', () => {
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
    { numRuns: 200 },
  );
});

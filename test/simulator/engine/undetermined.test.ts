import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { enabledControllers } from '../../../src/settings/enabled-controllers.ts';
import type { DeleteOptions, SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { type Played, play } from '../../../src/simulator/engine/play.ts';
import { canonicalSchedule } from '../../../src/simulator/engine/schedule.ts';
import { silentTimeline } from '../../../src/simulator/engine/timeline.ts';
import {
  replayInOtherOrders,
  undeterminedByTiming,
  withoutExamples,
} from '../../../src/simulator/engine/undetermined.ts';
import type { SimulationInput } from '../../../src/simulator/simulation-input.ts';
import { configMap, ownedBy, ownedByGone, pod, secret } from '../../support/builders.ts';
import { hold, beginning as now, remove } from '../play-out.ts';
import { inputOf } from './simulation-input.ts';

const minute = 60_000;

interface Shown {
  readonly end?: ObjectRecord | undefined;
  readonly codes?: readonly number[];
  readonly events?: readonly string[];
}

const beside = { areAlone: false };

/** What differs where the object stays as it is in all other orders, and ended as said in the one that is shown. */
function replayed(
  object: ObjectRecord,
  { end, codes = [], events = [] }: Shown,
  requests: SimulationInput['requests'] = [],
) {
  const shown = {
    context: { state: { current: () => end } },
    replies: codes.map((code) => ({ code })),
    events: new Map(events.map((key) => [key, {}])),
  } as unknown as Played;
  const input = inputOf([object], requests);
  const part = { input, records: [object], requests: requests.map((_, at) => at + 1), ...beside };
  return replayInOtherOrders(part, shown, 1);
}

test('everything is open where a play in another order was given up', () => {
  const references = Array.from({ length: 600 }, (_, at) =>
    ownedByGone(`v1 Pod p${at}`, { uid: 'one' }),
  );
  const tangled = configMap('tangled', {
    ownerReferences: [...references, ownedByGone('gone.example.com/v1 Gone last')],
  });
  const shown = { context: { state: { current: () => tangled } }, replies: [], events: new Map() };
  const input = inputOf([tangled], [], { isEnabled: () => true });
  const { undetermined } = replayInOtherOrders(
    { input, records: [tangled], requests: [], ...beside },
    shown as unknown as Played,
  );
  expect(undetermined.map(({ object }) => object)).toEqual([referenceTo(tangled)]);
  expect(undetermined[0]?.because).toMatchInlineSnapshot(
    `"the controllers do not settle: the simulation was stopped"`,
  );
});

describe('an object is open that ends otherwise in another order', () => {
  const free = configMap('a');
  const owned = configMap('a', {
    ownerReferences: [ownedByGone('v1 Pod x', { blockOwnerDeletion: true })],
  });
  const shared = configMap('a', {
    ownerReferences: [ownedByGone('v1 Pod x'), ownedByGone('v1 Pod y')],
  });
  const held = configMap('a', { finalizers: [hold] });
  const going = { deletionTimestamp: '2026-01-03T00:00:00Z' };

  const ends: readonly [ObjectRecord, ObjectRecord | undefined][] = [
    [free, undefined],
    [owned, { ...owned, ownerReferences: [] }],
    [shared, { ...shared, ownerReferences: shared.ownerReferences.slice(1) }],
    [held, { ...held, ...going }],
    [free, { ...free, ...going }],
  ];
  test('gone, without an owner or terminating, and it says how', () => {
    const told = ends.flatMap(([object, end]) =>
      replayed(object, { end }).undetermined.map((one) => one.because),
    );
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "the outcome depends on the order in which its dependents are seen: it is deleted, or it stays
      the outcome depends on the order in which Pod x and its dependents are seen: it stays, owned by Pod x (blocking), or it stays, owned by no object
      the outcome depends on which of Pod x, Pod y is seen first: it stays, owned by Pod x, Pod y, or it stays, owned by Pod y
      the outcome depends on whether its dependents are seen before example.com/hold is removed: it remains terminating (example.com/hold), or it stays
      the outcome depends on the order in which its dependents are seen: it remains terminating (no finalizer), or it stays"
    `);
  });

  test.each([
    ['labels', free, { ...free, labels: { app: 'web' } }],
    [
      'the order of finalizers',
      configMap('a', { finalizers: ['x/a', 'x/b'] }),
      configMap('a', { finalizers: ['x/b', 'x/a'] }),
    ],
    [
      'the order of references',
      shared,
      { ...shared, ownerReferences: shared.ownerReferences.toReversed() },
    ],
    ['the phase of a ConfigMap', free, { ...free, facts: { phase: 'Failed' } }],
  ])('not by %s', (_, object, end) => {
    expect(replayed(object, { end }).undetermined).toEqual([]);
  });

  test('and a pod by its phase, and each by its finalizers', () => {
    const running = pod('a', { facts: { phase: 'Running' } });
    const failed = { ...running, facts: { phase: 'Failed' } };
    expect(replayed(running, { end: failed }).undetermined).toHaveLength(1);
    expect(replayed(running, { end: { ...running } }).undetermined).toEqual([]);
    expect(replayed(held, { end: { ...held, finalizers: [] } }).undetermined).toHaveLength(1);
  });
});

test.each([
  ['running', 'deletes Secret shared first', 'patches ConfigMap b first'],
  ['after-requests', 'patches Secret shared first', 'patches ConfigMap b first'],
] as const)('each end has an example: %s', (start, gone, stays) => {
  const [a, b] = [configMap('a'), configMap('b')];
  const shared = secret('shared', { ownerReferences: [ownedBy(a), ownedBy(b)] });
  const child = secret('child', { ownerReferences: [ownedBy(a)] });
  const records = [a, b, shared, child];
  const requests = [remove(a, 'Orphan'), remove(b, 'Foreground')];
  const isEnabled = enabledControllers(['garbage-collector-controller']);
  const input = inputOf(records, requests, { isEnabled, start });
  const shown = play(input, canonicalSchedule, () => silentTimeline);
  const { undetermined } = replayInOtherOrders(
    { input, records, requests: [0, 1], ...beside },
    shown,
    1,
  );
  const [because = ''] = undetermined.map((one) => one.because);
  const by = 'garbage-collector-controller';
  expect(undetermined.map(({ object }) => object)).toEqual([referenceTo(shared)]);
  const examples = [...because.matchAll(/, as when (.*?)(?=, or |$)/g)].map(
    ([, example]) => example,
  );
  expect(examples).toEqual([`${by} ${gone}`, `${by} ${stays}`]);
  expect(withoutExamples(because)).toMatchInlineSnapshot(
    `"the outcome depends on which of ConfigMap a, ConfigMap b is seen first: it is deleted, or it stays, owned by no object"`,
  );
});

test('a request is open that is answered otherwise, and an event that is not written in every order', () => {
  const object = configMap('a', { finalizers: [hold] });
  // The first of all requests is of another part.
  const answered = (codes: readonly number[], after = 0) => {
    const requests = [remove(object, undefined, { after })];
    return [...replayed(object, { end: object, codes }, requests).uncertainReplies];
  };
  expect([answered([500, 200]), answered([500, 404]), answered([500])]).toEqual([[], [1], [1]]);
  // In the other orders it comes after the end.
  expect(answered([500, 200], 60 * minute)).toEqual([]);
  const { events, uncertainEvents } = replayed(object, { end: object, events: ['warned'] });
  expect([[...events.keys()], [...uncertainEvents]]).toEqual([[], ['warned']]);
});

test.each([
  [1, 'in families', undefined, 500],
  [1, 'in families', 7, 24],
  [100, 'in families', undefined, 300],
  [100, 'alone', undefined, 24],
  [5_000, 'in families', undefined, 24],
  [100_000, 'alone', undefined, 3],
])(
  'of %i objects %s, told that %s plays are enough, a part is played %i times',
  (size, how, most, times) => {
    const areAlone = how === 'alone';
    let plays = 0;
    const input = inputOf([], []);
    const shown = play(input, canonicalSchedule, () => silentTimeline);
    const counted: SimulationInput = {
      ...input,
      get types() {
        plays++;
        return input.types;
      },
    };
    const all = Array<ObjectRecord>(size).fill(configMap('a'));
    replayInOtherOrders({ input: counted, records: all, requests: [], areAlone }, shown, most);
    expect(plays).toBe(times);
  },
);

test('without an order-dependent part no object is undetermined', () => {
  const shown = { context: { state: {} } } as unknown as Played;
  const { undetermined, uncertainReplies, events, uncertainEvents } = replayInOtherOrders(
    undefined,
    shown,
  );
  expect([undetermined, uncertainReplies.size, events.size, uncertainEvents.size]).toEqual([
    [],
    0,
    0,
    0,
  ]);
});

/** Why the pod is undetermined at the end of an hour, with one controller of these timings and doubts. */
function whyOpen(
  { timings = [], doubts = [] }: { timings?: readonly object[]; doubts?: readonly object[] },
  isThere = true,
  requests: readonly SimulatedRequest[] = [],
): string[] {
  const object = pod('a');
  const controllers = [
    {
      controller: { runsAs: 'pod-garbage-collector-controller' },
      timings: new Map(timings.map((timing, at) => [`${at}`, { object, done: false, ...timing }])),
      doubts: doubts.map((doubt) => ({ object, ...doubt })),
    },
  ];
  const state = { current: (record: ObjectRecord) => (isThere ? record : undefined) };
  const played = { context: { state }, controllers } as unknown as Played;
  const input = { now, duration: 60 * minute, requests } as unknown as SimulationInput;
  return undeterminedByTiming(played, input).map(
    ({ object: { name }, because }) => `${name}: ${because}`,
  );
}

describe('an object is open by the time at which a controller acts', () => {
  const open = (until: string) => [
    `a: the outcome depends on when pod-garbage-collector-controller acts, from 2026-01-03T00:50:00Z ${until}: the simulation ends at 2026-01-03T01:00:00Z`,
  ];
  const from = now + 50 * minute;

  const at = (minutes: number) => now + minutes * minute;
  test.each<[string, { from: number; to: number | undefined }, string[]]>([
    ['that contains the end', { from, to: at(70) }, open('to 2026-01-03T01:10:00Z')],
    ['that nothing bounds', { from, to: undefined }, open('on')],
    ['before the end', { from, to: at(60) }, []],
    [
      'from the end on',
      { from: at(60), to: undefined },
      open('on').map((line) => line.replace('00:50', '01:00')),
    ],
    ['after the end', { from: at(61), to: undefined }, []],
  ])('%s', (_, timing, because) => {
    expect(whyOpen({ timings: [timing] })).toEqual(because);
  });

  test('unless another client deletes it', () => {
    expect(whyOpen({ timings: [{ from, to: undefined }] }, false)).toEqual([]);
    expect(whyOpen({ timings: [{ from, to: undefined, done: true }] }, false)).toEqual(open('on'));
  });

  test.each<[string, DeleteOptions, boolean]>([
    ['whatever has changed', {}, false],
    ['with its uid', { preconditions: { uid: pod('a').uid } }, false],
    ['with another uid', { preconditions: { uid: 'other' } }, true],
    ['with a resourceVersion', { preconditions: { resourceVersion: '7' } }, true],
    ['as a rehearsal', { dryRun: true }, true],
  ])('unless a request deletes it, %s', (_, options, isOpen) => {
    const { namespace, name } = pod('a');
    const target = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    const request = { ...target, verb: 'delete', after: 0, options } as const;
    const done = { from, to: undefined, done: true };
    expect(whyOpen({ timings: [done] }, false, [request])).toEqual(isOpen ? open('on') : []);
    expect(whyOpen({ timings: [done] }, true, [request])).toEqual(open('on'));
    expect(whyOpen({ timings: [done] }, false, [{ ...request, name: 'b' }])).toEqual(open('on'));
  });
});

test('an object is open for what a controller leaves to chance, from then on and as long as it is there', () => {
  const doubts = [
    { because: 'chance', from: now + 60 * minute },
    { because: 'later', from: now + 61 * minute },
  ];
  expect(whyOpen({ doubts })).toEqual(['a: chance']);
  expect(whyOpen({ doubts }, false)).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { Task } from '../../../src/simulator/engine/clock.ts';
import {
  type Discovered,
  NamespaceController,
  type NamespaceRequests,
  type Remaining,
} from '../../../src/simulator/namespaces/namespace-controller.ts';
import { builderOf, configMap, pod, secret } from '../../support/builders.ts';

const beginning = Date.parse('2026-02-01T00:00:00Z');
const namespace = builderOf('v1', 'Namespace');
const ending = (facts: ObjectRecord['facts'] = {}, deletionTimestamp = '2026-02-01T00:00:00Z') =>
  namespace('shop', {
    deletionTimestamp,
    facts: { phase: 'Terminating', specFinalizers: ['kubernetes'], ...facts },
  });
const kinds = [pod('p'), configMap('c'), secret('s')].map(({ type }) => type);

interface Cluster {
  /** As often as it is read; the last one for ever. */
  readonly stored?: readonly (ObjectRecord | undefined)[];
  readonly errors?: readonly string[];
  /** By resource; kinds that are not named are empty. */
  readonly content?: Readonly<Record<string, Remaining>>;
  readonly podsFirst?: boolean;
  /** Is the status not taken, as the namespace changed meanwhile? */
  readonly isStale?: boolean;
}

const nothing: Remaining = { before: [], after: [] };
const stays = (...records: ObjectRecord[]): Remaining => ({ before: records, after: records });
const running = (seconds: number, details: Parameters<typeof pod>[1] = {}) =>
  pod(`p${seconds}`, {
    ...details,
    facts: { nodeName: 'a', terminationGracePeriodSeconds: seconds, ...details.facts },
  });

/** A namespace controller, and what its clock was asked for. */
function controllerOf(cluster: Cluster) {
  const { stored = [ending()], errors = [], content = {}, podsFirst = true } = cluster;
  const asked: string[] = [];
  const statuses: ObjectRecord['facts'][] = [];
  const due: { readonly line: string; readonly at: number; readonly run: () => void }[] = [];
  const clock = {
    now: 0,
    after: (delay: number, run: () => void) => add('after', delay, run),
    retryAfter: (delay: number, run: () => void) => add('retry after', delay, run),
    start<T>(task: Task<T, number>, done: (value: T) => void) {
      for (;;) {
        const next = task.next();
        if (next.done) return done(next.value);
        during.shift()?.();
      }
    },
  };
  const during: (() => void)[] = [];
  function add(line: string, delay: number, run: () => void): void {
    due.push({ line: `${line} ${delay}`, at: clock.now + delay, run });
  }
  function* answer<T>(line: string, value: T): Task<T, number> {
    if (line !== '') asked.push(line);
    yield 0;
    return value;
  }
  let reads = 0;
  const requests: NamespaceRequests = {
    get: () => answer('', stored[Math.min(reads++, stored.length - 1)]),
    writeStatus(current, facts) {
      if (facts) statuses.push(facts);
      const written = { ...current, facts: { ...current.facts, ...facts } };
      return answer('', facts && !cluster.isStale ? written : undefined);
    },
    discover: () => answer<Discovered>('discover', { types: kinds, errors: [...errors] }),
    inOrder: (types) => [...types].reverse(),
    deleteAll: ({ resource }) => answer(`delete ${resource}`, content[resource] ?? nothing),
    finalize: (current, leftOf) => answer(`finalize [${leftOf(current).join(', ')}]`, undefined),
    now: () => beginning + clock.now,
  };
  const controller = new NamespaceController({
    requests,
    clock,
    retry: (failures) => 5000 * 10 ** failures,
    gracePeriod: 5000,
    podsFirst,
  });
  return {
    controller,
    asked,
    statuses,
    during,
    clock,
    due: () => due.map(({ line }) => line),
    /** What is due first. */
    run() {
      const next = due.toSorted((a, b) => a.at - b.at)[0];
      if (!next) throw new Error('nothing is due');
      due.splice(due.indexOf(next), 1);
      clock.now = next.at;
      next.run();
    },
  };
}

/** One pass: what is asked, and what the clock is asked for then. */
function pass(cluster: Cluster) {
  const all = controllerOf(cluster);
  all.controller.observe(ending());
  all.run();
  return { ...all, next: all.due() };
}

const conditionsOf = (statuses: readonly ObjectRecord['facts'][]) =>
  Object.fromEntries(
    (statuses.at(-1)?.conditions ?? []).map(({ type, status, message }) => [
      type,
      `${status}: ${message}`,
    ]),
  );

describe('a namespace', () => {
  test('is looked at five seconds after it is seen going, and never while it is not', () => {
    const { controller, due } = controllerOf({});
    controller.observe(namespace('shop'));
    expect(due()).toEqual([]);
    controller.observe(ending());
    controller.observe(ending());
    expect(due()).toEqual(['after 5000']);
  });

  test('goes without that order where pods do not come first', () => {
    expect(pass({ podsFirst: false }).asked.slice(1, 4)).toEqual([
      'delete secrets',
      'delete configmaps',
      'delete pods',
    ]);
  });

  test('is called Terminating first, and goes on though that was not written', () => {
    const active = ending({ phase: 'Active' });
    for (const isStale of [false, true]) {
      const { statuses, asked } = pass({ stored: [active], isStale });
      expect(statuses[0]).toEqual({ phase: 'Terminating' });
      expect(asked.at(-1)).toBe('finalize []');
    }
    expect(pass({}).statuses).toHaveLength(1);
  });
});

describe('what is left', () => {
  test.each<[string, ObjectRecord[], string]>([
    ['the default 30 seconds', [pod('p', { facts: { nodeName: 'a' } })], 'after 16000'],
    [
      'not of ended pods',
      [
        running(61, { facts: { phase: 'Succeeded' } }),
        running(45, { facts: { phase: 'Failed' } }),
        running(9),
      ],
      'after 5000',
    ],
    [
      'not with finalizers',
      [running(30), running(20, { finalizers: ['x.com/y'] })],
      'retry after 16000',
    ],
  ])('of pods: %s', (_, pods, line) => {
    expect(pass({ content: { pods: stays(...pods) } }).next).toEqual([line]);
  });

  test('with finalizers is looked at again after a quarter of a minute, and counted', () => {
    const held = (name: string, ...finalizers: string[]) => configMap(name, { finalizers });
    const { asked, next, statuses } = pass({
      content: {
        configmaps: stays(held('a', 'x.com/y'), held('b', 'x.com/y', 'z.com/w'), held('c')),
        secrets: stays(secret('s', { finalizers: ['x.com/y'] })),
      },
    });
    expect([asked.at(-1), next]).toEqual(['delete configmaps', ['retry after 8000']]);
    expect(conditionsOf(statuses)).toMatchObject({
      NamespaceContentRemaining:
        'True: Some resources are remaining: configmaps. has 3 resource instances, secrets. has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True: Some content in the namespace has finalizers remaining: x.com/y in 3 resource instances, z.com/w in 1 resource instances',
    });
  });

  test('without finalizers is an error, also of pods whose grace period is over', () => {
    const failed = (name: string, ...records: ObjectRecord[]) => {
      const { statuses, next } = pass({ content: { [name]: stays(...records) } });
      return [next, conditionsOf(statuses).NamespaceDeletionContentFailure];
    };
    const why = (resource: string) =>
      `True: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=${resource}`;
    expect(failed('secrets', secret('s'))).toEqual([['retry after 5000'], why('secrets')]);
    expect(failed('pods', running(5))).toEqual([['retry after 5000'], why('pods')]);
    expect(failed('pods', running(6))[0]).toEqual(['after 4000']);
  });
});

describe('an error', () => {
  test('of one kind does not keep the others from going, but the namespace', () => {
    const error = 'secrets is forbidden';
    const { asked, next, statuses } = pass({
      content: { secrets: { before: [secret('s')], error } },
    });
    expect(asked).toEqual(['discover', 'delete pods', 'delete secrets', 'delete configmaps']);
    expect(next).toEqual(['retry after 5000']);
    expect(conditionsOf(statuses).NamespaceDeletionContentFailure).toMatchInlineSnapshot(
      `"True: Failed to delete all resource types, 1 remaining: secrets is forbidden"`,
    );
  });

  test('is tried again later each time, after a minute at most, and at first again after a success', () => {
    const all = controllerOf({
      stored: [ending(), ending(), ending(), undefined, ending()],
      errors: ['down'],
    });
    all.controller.observe(ending());
    const lines: string[] = [];
    for (let at = 0; at < 4; at++) {
      lines.push(all.due().join(', '));
      all.run();
    }
    expect(lines).toEqual([
      'after 5000',
      'retry after 5000',
      'retry after 50000',
      'retry after 60000',
    ]);
    expect(all.due()).toEqual([]);
    all.controller.observe(ending());
    all.run();
    expect(all.due()).toEqual(['retry after 5000']);
  });
});

test('an event during a pass of the namespace controller is processed right after it', () => {
  const all = controllerOf({});
  all.controller.observe(ending());
  all.during.push(() => {
    all.controller.observe(ending());
    all.run();
  });
  all.run();
  expect(all.asked.filter((line) => line === 'discover')).toHaveLength(2);
  expect(all.due()).toEqual([]);
});

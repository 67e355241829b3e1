import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { podGarbageCollector } from '../../../src/controllers/pod-gc/pod-gc.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { type SnapshotOptions, snapshotOf } from '../../support/builders.ts';
import { casesOf } from '../../support/rows.ts';
import { nodeOf, podsOf } from '../pods.ts';

/** Not a multiple of the period of the passes. */
const now = Date.parse('2026-01-03T00:00:07Z');
const ago = (seconds: number) => now - seconds * 1000;

/**
 * `a Failed, b Failed on n; held Running held deleting; Node n`: pods, an hour older each than the next one of their group, and
 * what holds for the group: their Node, their namespace (`in x`), since when they are (`of 2026-01-02`).
 */
function clusterOf(text: string): ObjectRecord[] {
  return text.split('; ').flatMap((group) => {
    const [, pods = '', words = ''] =
      /^(.*?)((?: (?:on|in|of) \S+| held| deleting| unapplied| bare)*)$/.exec(group) ?? [];
    const said = (word: string) => new RegExp(` ${word} (\\S+)`).exec(words)?.[1];
    if (pods.startsWith('Node ')) return [nodeOf(pods.slice(5), 'True')];
    const [namespace, date, is] = [said('in'), said('of'), (word: string) => words.includes(word)];
    const made = podsOf(
      pods,
      { nodeName: said('on') ?? '' },
      {
        ...(namespace !== undefined && { namespace }),
        ...(date !== undefined && { creationTimestamp: `${date}T00:00:00Z` }),
        ...(is(' held') && { finalizers: ['x/hold'] }),
        ...(is(' deleting') && { deleting: 'background' }),
        ...(is(' unapplied') && { uid: '' }),
      },
    );
    return is(' bare') ? made.map((pod) => ({ ...pod, facts: undefined })) : made;
  });
}

const inDefault = { resource: 'pods', namespaces: ['default'] };
const lastPasses = new Map([['pod-garbage-collector', ago(5)] as const]);
const quarantine = (seconds: number) => ({ quarantine: new Map([['gone', ago(-seconds)]]) });

/** What is remembered, or was not read. */
const known: Readonly<Record<string, [SnapshotOptions, object?]>> = {
  'since 10 s': [{}, { startedAt: ago(10) }],
  'since 35 s': [{}, { startedAt: ago(35) }],
  'a quarantine until 15 s': [{}, quarantine(15)],
  'a quarantine until 15 s, a pass 5 s ago': [{}, { ...quarantine(15), lastPasses }],
  'a quarantine until 20 s, a pass 5 s ago': [{}, { ...quarantine(20), lastPasses }],
  'the Nodes for long': [
    {},
    {
      lastSeen: new Map([
        ['seen-last', ago(10)],
        ['seen-first', ago(15)],
      ]),
    },
  ],
  'no Nodes': [{ unread: ['nodes'] }],
  'pods of one namespace': [{ coverage: { read: [inDefault] } }],
  'pods of one namespace, Nodes': [{ coverage: { read: [inDefault, { resource: 'nodes' }] } }],
};

function decide(
  cluster: string,
  threshold: number,
  [options, memory]: [SnapshotOptions, object?] = [{}],
) {
  const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
  const view = viewOf(snapshotOf(clusterOf(cluster), options));
  return podGarbageCollector.pass(view, settings, now, memory);
}

// By which step each goes, and between which seconds from now on. Held back, pods count from the second pass on.
const cases = casesOf(`
a pod of a missing node goes after at most a pass, its quarantine and a pass (PG-15)
  a Running on gone
  0
  a orphaned 0 to 80, certain
it narrows with what is remembered: a start
  a Running on gone
  0, since 10 s
  a orphaned 30 to 80, certain
it narrows with what is remembered: a quarantine and a pass
  a Running on gone
  0, a quarantine until 15 s, a pass 5 s ago
  a orphaned 15 to 35, certain
it is that of a pass, where it is known when passes are
  a Running on gone
  0, a quarantine until 20 s, a pass 5 s ago
  a orphaned 35 to 35, certain
that of an orphan is not before its quarantine ends
  a Running on gone
  0, a quarantine until 15 s
  a orphaned 15 to 20, certain
it orders the decisions
  later Running on seen-last; sooner Running on seen-first
  0, the Nodes for long
  sooner orphaned 25 to 80, certain; later orphaned 30 to 80, certain
a second wave is a pass later (PG-8)
  a Failed, b Failed on n; held Running held deleting; Node n
  2
  held unscheduled 0 to 20, certain; a terminated 20 to 40, certain
a second wave that follows an orphan may be long after the last quarantine (PG-8)
  old Failed of 2025-01-01; lost Running on gone held
  1
  lost orphaned 0 to 80, certain; old terminated 20 to 100, certain
a pod that finalizers hold is chosen again in every pass, in its place (PG-8)
  evicted Failed/Evicted of 2026-01-02 held; old Failed of 2026-01-01
  1
  evicted terminated 0 to 20, certain
a pod that finalizers hold is not evicted when it has succeeded
  succeeded Succeeded/Evicted of 2026-01-02 held deleting; running Running of 2026-01-02 held deleting; old Failed of 2026-01-01
  2
  succeeded unscheduled 0 to 20, certain; running unscheduled 0 to 20, certain; old terminated 20 to 40, certain
where a quarantine and the threshold may choose a pod, it goes with the first
  a Failed on gone; b Failed; held Running held deleting
  2, since 10 s
  held unscheduled 0 to 20, certain; a terminated 20 to 40, certain
a Pod that is deleted only if a quarantine ends late: an orphan that is deleted before does not count
  old of 2025-01-01 on n; lost Failed on gone; held Running held deleting; Node n
  2
  lost orphaned 0 to 80, certain; held unscheduled 0 to 20, certain; old terminated 20 to never, unknown
a pass may come before the end of a quarantine, or after it
  old of 2025-01-01 on n; lost Failed on gone; held Running held deleting; Node n
  2, since 35 s
  held unscheduled 0 to 20, certain; lost orphaned 5 to 80, certain; old terminated 20 to never, unknown
a Pod that is deleted only if one quarantine ends before another
  held Running on lost held; gone Failed on gone; old Failed of 2025-01-01
  2
  held orphaned 0 to 80, certain; gone orphaned 0 to 80, certain; old terminated 20 to never, unknown
without a pod that stays, none of these orders lets another go
  gone Failed on gone; x Failed on lost; old Failed of 2025-01-01
  3
  gone orphaned 0 to 80, certain; x orphaned 0 to 80, certain
where a pod goes only before a quarantine ends, with whose Node some pods stay and some leave
  held Failed on lost held; leaves Failed on lost; old Failed of 2025-01-01; other Running held deleting
  3
  held orphaned 0 to 80, certain; leaves orphaned 0 to 80, certain; other unscheduled 0 to 20, certain; old terminated 20 to never, unknown
where one quarantine that ends before another only delays it
  held Running on lost held; gone Failed on gone; old Failed of 2025-01-01; other Running held deleting
  2
  held orphaned 0 to 80, certain; gone orphaned 0 to 80, certain; other unscheduled 0 to 20, certain; old terminated 20 to 100, certain
the Node of a pod makes no difference where the threshold takes it
  a Failed, b Failed on n
  1, no Nodes
  a terminated 0 to 20, certain; b orphaned 0 to never, unknown
nodes that could not be read may be there
  a Running on n
  0, no Nodes
  a orphaned 0 to never, unknown
pods of other namespaces count, read or not
  a Failed, b Failed
  1, pods of one namespace
  a terminated 0 to 20, unknown
pods of other namespaces make no difference for one whose Node is gone
  a Running on gone
  0, pods of one namespace, Nodes
  a orphaned 0 to 80, certain
a tie is left to chance
  a Failed in x; a Failed in y
  1
  a terminated 0 to 20, unknown
another step takes the pod that chance would spare
  a Failed in x deleting; a Failed in y deleting
  1
  a terminated 0 to 20, unknown; a unscheduled 0 to 20, certain
manifests that were never applied and bare metadata are no pods
  a Failed, b Failed unapplied; c Failed, d Failed bare
  1

`);
test.each(cases)('%s', (_, cluster = '', given = '', expected = '') => {
  const [threshold = '', ...rest] = given.split(', ');
  const decisions = decide(cluster, Number(threshold), known[rest.join(', ')]);
  const told = decisions.map(({ object, step, notBefore, notAfter, confidence }) => {
    const end = notAfter === undefined ? 'never' : (notAfter - now) / 1000;
    return `${object.name} ${step} ${(notBefore - now) / 1000} to ${end}, ${confidence}`;
  });
  expect(told.join('; ')).toBe(expected);
});

describe('reasons and patches', () => {
  const deleting = { deleting: 'background' } as const;
  const told = (
    pods: readonly ObjectRecord[],
    threshold: number,
    nodes = [nodeOf('n', 'True')],
  ) => {
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
    return podGarbageCollector
      .pass(viewOf(snapshotOf([...pods, ...nodes])), settings, now)
      .map(({ object, rule, because, patch }) => [
        object.name,
        rule,
        because,
        patch?.body.status as object | undefined,
      ]);
  };
  const failed = { phase: 'Failed' };

  test('of ended pods: how they ended, and their order', () => {
    const pods = [
      ...podsOf('a Failed/Evicted, b, c Succeeded', { nodeName: 'n' }),
      ...podsOf('held Failed', { nodeName: 'n' }, { finalizers: ['x/a', 'x/b'] }),
    ];
    const young = podsOf('young Failed', {}, { creationTimestamp: '2026-01-02T23:00:00Z' });
    const decisions = told([...pods, ...young], 1);
    expect(decisions.map(([name, rule, , patch]) => [name, rule, patch])).toEqual([
      ['a', 'PG-5', undefined],
      ['held', 'PG-5', undefined],
      ['b', 'PG-5', failed],
      ['c', 'PG-5', undefined],
    ]);
    expect(
      decisions.map(([name, , because]) => `${name}: ${because}`).join('\n'),
    ).toMatchInlineSnapshot(`
      "a: it is Evicted, and more than 1 pod has ended; evicted Pods are deleted first, then the oldest
      held: it is Failed, and more than 1 pod has ended; the oldest are deleted first; it stays until x/a, x/b is removed
      b: it is without a phase, and more than 1 pod has ended; the oldest are deleted first
      c: it is Succeeded, and more than 1 pod has ended; the oldest are deleted first"
    `);
  });

  test('of a pass after one that left pods Failed', () => {
    const held = podsOf('held Running', {}, { ...deleting, finalizers: ['x/hold'] });
    const [, second] = told([...podsOf('a Failed, b Failed', { nodeName: 'n' }), ...held], 2);
    expect([second?.[0], second?.[1], second?.[3]]).toEqual(['a', 'PG-8', undefined]);
    expect(second?.[2]).toMatchInlineSnapshot(
      `"it is Failed, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest are deleted first"`,
    );
  });

  test('of the other steps', () => {
    const pods = [
      ...podsOf('a Running', { nodeName: 'down' }, deleting),
      ...podsOf('b Running', { nodeName: 'gone' }),
      ...podsOf('c Running', {}, { ...deleting, finalizers: ['x/hold'] }),
    ];
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: '2026-01-03T00:00:07Z',
    };
    const decisions = told(pods, 0, [nodeOf('down', 'False', ['NoExecute'])]);
    expect(decisions.map(([name, rule, , patch]) => [name, rule, patch])).toEqual([
      ['a', 'PG-10', failed],
      ['b', 'PG-16', { ...failed, conditions: [condition] }],
      ['c', 'PG-17', failed],
    ]);
    expect(
      decisions.map(([name, , because]) => `${name}: ${because}`).join('\n'),
    ).toMatchInlineSnapshot(`
      "a: it is being deleted on Node down, which is not ready and has the taint node.kubernetes.io/out-of-service
      b: it is bound to Node gone, which does not exist
      c: it is being deleted and bound to no Node; it stays until x/hold is removed"
    `);
  });

  test('where a quarantine and the threshold may choose it: both reasons, and what both write', () => {
    const [first] = decide('a Failed on gone; b Failed; held Running held deleting', 2);
    expect(first?.because).toMatchInlineSnapshot(
      `"it is bound to Node gone, which does not exist; or, if that comes first, it is Failed, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest are deleted first"`,
    );
    const decisions = decide('a on gone; b Failed; held Running held deleting', 2);
    expect(decisions.map(({ object, step, patch }) => [object.name, step, patch?.body])).toEqual([
      ['a', 'orphaned', { status: { phase: 'Failed' } }],
      ['held', 'unscheduled', { status: { phase: 'Failed' } }],
    ]);
  });

  test('of one that goes only if a quarantine ends late, and of one whose Node was not read', () => {
    const lost = 'lost Failed on gone; held Running held deleting; Node n';
    const old = decide(`old of 2025-01-01 on n; ${lost}`, 2).at(-1);
    expect(old?.patch?.body).toEqual({ status: { phase: 'Failed' } });
    const [unread] = decide('a Running on n', 0, known['no Nodes']);
    expect(unread?.isNodeUnread).toBe(true);
    expect([old?.because, unread?.because].join('\n')).toMatchInlineSnapshot(`
      "it is without a phase, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest are deleted first; it depends on when quarantines end, which only the controller knows
      whether its Node n exists was not read; if it does not, pod garbage collection deletes the pod"
    `);
  });
});

import { describe, expect, test } from 'vitest';
import { type PodGcStep, podGcPass, statusPatchOf } from '../../../src/controllers/pod-gc/pass.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { rowsOf } from '../../support/rows.ts';
import { nodeOf, podsOf } from '../pods.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const none: ReadonlyMap<string, number> = new Map();

function passOf(
  pods: readonly ObjectRecord[],
  nodes: readonly ObjectRecord[] = [],
  threshold = 0,
  { quarantine = none, at = now, api = nodes }: PassOptions = {},
) {
  const cached = new Map(nodes.map((node) => [node.name, node]));
  const existing = new Set(api.map(({ name }) => name));
  const input = {
    pods,
    cachedNode: (name: string) => cached.get(name),
    nodeExists: (name: string) => existing.has(name),
  };
  return podGcPass(input, threshold, at, quarantine);
}

interface PassOptions {
  readonly quarantine?: ReadonlyMap<string, number>;
  readonly at?: number;
  readonly api?: readonly ObjectRecord[];
}

/** Names of the chosen, and of those that are marked Failed first. */
function summed(chosen: readonly { pod: ObjectRecord; step: PodGcStep }[]) {
  return {
    deleted: chosen.map(({ pod }) => pod.name),
    patched: chosen
      .filter(({ pod, step }) => statusPatchOf(pod, step, now))
      .map(({ pod }) => pod.name),
  };
}

const words = (text = '') => text.split(' ').filter(Boolean);

describe('terminated pods', () => {
  // TestGCTerminated.
  const rows = rowsOf(`
    delete pod a which is PodFailed and pod b which is PodSucceeded | 1 | a Failed, b Succeeded, c Failed | a b
    threshold = 0, disables terminated pod deletion | 0 | a Failed, b Succeeded |
    threshold = 1, delete pod a which is PodFailed and pod b which is PodSucceeded | 1 | a Failed, b Succeeded, c Failed | a b
    threshold = 1, delete pod b which is PodSucceeded | 1 | a Running, b Succeeded, c Failed | b
    threshold = 1, delete pod a which is PodFailed | 1 | a Failed, b Succeeded | a
    threshold = 5, don't delete pod | 5 | a Failed, b Succeeded |
    threshold = 3, don't delete pod | 3 | a Failed, b Succeeded |
    an eviction counts where the pod has failed | 1 | a Failed, b Succeeded/Evicted | a
    unnamed: an evicted one and the oldest | 1 | a Failed, b Succeeded, c Failed/Evicted | c a
    unnamed: an evicted one beside one that runs | 1 | a Running, b Succeeded, c Failed/Evicted | c
  `);
  test.each(rows)('%s', (_, threshold, pods = '', deleted = '') => {
    const { chosen } = passOf(
      podsOf(pods, { nodeName: 'n' }),
      [nodeOf('n', 'True')],
      Number(threshold),
    );
    expect(summed(chosen)).toEqual({ deleted: words(deleted), patched: [] });
  });

  test('count without a phase, whether they are being deleted or not (PG-4)', () => {
    const pods = podsOf('a , b Pending, c Unknown, d Succeeded', { nodeName: 'n' });
    const { chosen, terminated } = passOf(pods, [nodeOf('n', 'True')], 1);
    expect({ ...summed(chosen), terminated }).toEqual({
      deleted: ['a'],
      patched: ['a'],
      terminated: 2,
    });
  });

  test('are ordered by name within a second, and by chance across namespaces (PG-6)', () => {
    const at = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const pods = [
      ...podsOf('b Failed', {}, at),
      ...podsOf('a Failed', {}, { ...at, namespace: 'x' }),
      ...podsOf('a Failed', {}, { ...at, namespace: 'y' }),
    ];
    const ties = (threshold: number) =>
      passOf(pods, [], threshold).chosen.map(({ pod, tied }) => [pod.name, tied]);
    expect([ties(1), ties(2)]).toEqual([
      [
        ['a', false],
        ['a', false],
      ],
      [['a', true]],
    ]);
  });

  test('those that go for certain are not left to chance because others are (PG-6)', () => {
    const at = (creationTimestamp: string, space: string) => ({
      creationTimestamp,
      namespace: space,
    });
    const pods = [
      ...podsOf('a Failed', {}, at('2026-01-01T00:00:00Z', 'x')),
      ...podsOf('b Failed', {}, at('2026-01-02T00:00:00Z', 'x')),
      ...podsOf('b Failed', {}, at('2026-01-02T00:00:00Z', 'y')),
    ];
    expect(passOf(pods, [], 1).chosen.map(({ pod, tied }) => [pod.name, tied])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });
});

describe('orphaned pods', () => {
  const bound = (pods: string) => podsOf(pods, { nodeName: 'n' });

  /** `cache n, api m`: the Nodes in the informer's cache, and what a GET finds where that differs. */
  function nodesIn(text: string): PassOptions & { cache: ObjectRecord[] } {
    const of = (place: string) => {
      const [found] = text.split(', ').filter((part) => part.startsWith(place));
      return found
        ?.split(' ')
        .slice(1)
        .map((name) => nodeOf(name, 'True'));
    };
    const api = of('api');
    return { cache: of('cache') ?? [], ...(api && { api }) };
  }

  // TestGCOrphaned: two passes, with the Nodes that are there in each.
  const rows = rowsOf(`
    nodes present in lister | a Running, b Failed, c Succeeded | cache n | | 80 | | |
    nodes present in client | a Running, b Failed, c Succeeded | api n | | 80 | | | n
    no nodes | a Failed, b Succeeded | | | 80 | a b | | n
    no nodes, one running pod | a Failed, b Succeeded, c Running | | | 80 | a b c | c | n
    quarantine not finished | a Failed | | | 20 | | | n
    wrong nodes | a Running | cache other | | 80 | a | a | n
    some nodes missing | a Failed, c Succeeded, d Running; other: b Failed | cache other | | 80 | a c d | d | n
    node added to client after quarantine | a Failed | none | api n | 80 | | | n
    node added to informer after quarantine | a Failed | none | cache n | 80 | | | n
    node deleted from client after quarantine | a Failed | api n | none | 80 | a | | n
    node deleted from informer after quarantine | a Failed | cache n | none | 80 | | |
    node added to informer after quarantine, and deleted from client since | a Failed | none | cache n, api | 80 | | | n
  `);
  test.each(rows)(
    '%s',
    (_, pods = '', before = '', after = '', seconds, deleted, patched, queued) => {
      const [own = '', others = ''] = pods.split('; other: ');
      const all = [...bound(own), ...podsOf(others, { nodeName: 'other' })];
      const [first, second] = [nodesIn(before), nodesIn(after === '' ? before : after)];
      const one = passOf(all, first.cache, 0, first);
      const { quarantine } = one;
      const at = now + Number(seconds) * 1000;
      const two = passOf(all, second.cache, 0, { ...second, quarantine, at });
      expect({ ...summed([...one.chosen, ...two.chosen]), queued: [...quarantine.keys()] }).toEqual(
        {
          deleted: words(deleted),
          patched: words(patched),
          queued: words(queued),
        },
      );
    },
  );

  test('a pod that is bound to no Node misses none (PG-12)', () => {
    expect(passOf(podsOf('a Running')).quarantine).toEqual(new Map());
  });

  test('a name that is due is armed once more in the same pass (PG-14)', () => {
    const { chosen, quarantine } = passOf(bound('a Failed'), [], 0, {
      quarantine: new Map([['n', now]]),
    });
    expect([summed(chosen).deleted, [...quarantine]]).toEqual([['a'], [['n', now + 40_000]]]);
  });

  test('orphaned pod should have DisruptionTarget condition added before deletion', () => {
    const [pod] = podsOf('a Running', {
      nodeName: 'n',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    expect(pod && statusPatchOf(pod, 'orphaned', now)).toEqual({
      subresource: 'status',
      body: {
        status: {
          phase: 'Failed',
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'DeletionByPodGC',
              message: 'PodGC: node no longer exists',
              lastTransitionTime: '2026-01-03T00:00:00Z',
            },
          ],
        },
      },
    });
  });

  test('a condition that was True keeps its time (PG-21)', () => {
    const lastTransitionTime = '2026-01-01T10:00:00Z';
    const times = ['True', 'False'].map((status) => {
      const conditions = [{ type: 'DisruptionTarget', status, lastTransitionTime }];
      const [pod] = podsOf('a Running', { nodeName: 'n', conditions });
      const body = pod && statusPatchOf(pod, 'orphaned', now)?.body;
      const written = body?.status as { conditions: { lastTransitionTime: string }[] } | undefined;
      return written?.conditions[0]?.lastTransitionTime;
    });
    expect(times).toEqual([lastTransitionTime, '2026-01-03T00:00:00Z']);
  });
});

describe('unscheduled and out-of-service pods', () => {
  const deleting = { deleting: 'background' } as const;

  const on = { nodeName: 'n' };
  const rows = rowsOf(`
    Unscheduled pod in any phase must be deleted    | a Failed, b Succeeded, c Running |      |        | a b c | c
    pods have deletion timestamp set and the corresponding nodes are not ready
                                                    | a Running, b Failed              | False |       |       |
    pods deleted from node tainted out-of-service   | a Running, b Failed, c Succeeded | False | tainted | a b c | a
    a Ready node is never out of service (PG-10)    | a Running                        | True  | tainted |       |
  `);
  test.each(rows)('%s', (_, pods = '', status, tainted, deleted, patched) => {
    const nodes = status ? [nodeOf('n', status, tainted ? ['NoExecute'] : [])] : [];
    const { chosen } = passOf(podsOf(pods, status ? on : {}, deleting), nodes);
    expect(summed(chosen)).toEqual({ deleted: words(deleted), patched: words(patched) });
  });

  test('Scheduled pod in any phase must not be deleted', () => {
    const pods = [
      ...podsOf('a Failed'),
      ...podsOf('b Succeeded', { nodeName: 'n' }),
      ...podsOf('c Running', { nodeName: 'n' }, deleting),
    ];
    expect(passOf(pods, [nodeOf('n', 'True')]).chosen).toEqual([]);
  });

  test('some pods have deletion timestamp and/or phase set and some of the corresponding nodes have an outofservice taint that are not ready', () => {
    const nodes = [
      nodeOf('w0', 'False', ['NoExecute']),
      nodeOf('w1', 'False'),
      nodeOf('w2', 'True'),
      nodeOf('w3', 'Unknown', ['NoSchedule']),
      nodeOf('w4', undefined, ['PreferNoSchedule']),
      nodeOf('w5', 'False', ['NoExecute']),
    ];
    const pods = nodes.flatMap(({ name }) => [
      ...podsOf(`${name}-deleting `, { nodeName: name }, deleting),
      ...podsOf(`${name}-a Running, ${name}-b Failed, ${name}-c Succeeded`, { nodeName: name }),
    ]);
    const expected = ['w0-deleting', 'w3-deleting', 'w4-deleting', 'w5-deleting'];
    expect(summed(passOf(pods, nodes).chosen)).toEqual({ deleted: expected, patched: expected });
  });

  test('pods of an out-of-service node go as terminated ones do: evicted ones first, then the oldest', () => {
    const pods = [
      ...podsOf('young Running', on, { ...deleting, creationTimestamp: '2026-01-02T00:00:00Z' }),
      ...podsOf('old Running', on, { ...deleting, creationTimestamp: '2026-01-01T00:00:00Z' }),
      ...podsOf('evicted Failed/Evicted', on, {
        ...deleting,
        creationTimestamp: '2026-01-02T12:00:00Z',
      }),
    ];
    const { chosen } = passOf(pods, [nodeOf('n', 'False', ['NoExecute'])]);
    expect(summed(chosen).deleted).toEqual(['evicted', 'old', 'young']);
  });
});

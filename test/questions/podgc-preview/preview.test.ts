import { describe, expect, test } from 'vitest';
import type { PodGcStep } from '../../../src/controllers/pod-gc/pass.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  beyondOwnThreshold,
  type GroupBy,
  stepsOf,
  waitingPods,
} from '../../../src/questions/podgc-preview/preview.ts';
import { nodeOf, podsOf } from '../../controllers/pods.ts';
import { builderOf, ownedBy } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const now = Date.parse('2026-01-03T00:00:00Z');

/** `unread`: names of Nodes that may exist. */
function inputOf(
  pods: readonly ObjectRecord[],
  nodes: readonly ObjectRecord[] = [],
  unread: readonly string[] = [],
) {
  const cachedNode = (name: string) => nodes.find((node) => node.name === name);
  const nodeExists = (name: string) => cachedNode(name) !== undefined || unread.includes(name);
  return { pods, cachedNode, nodeExists };
}

describe('the steps of a pass', () => {
  test('stand in upstream’s order, each with how many pods it takes (PG-2)', () => {
    const taken: readonly PodGcStep[] = ['orphaned', 'terminated', 'orphaned', 'unscheduled'];
    const steps = stepsOf(
      inputOf([]),
      5,
      taken.map((step) => ({ step })),
    );
    expect(steps.map(({ step, pods }) => [step, pods])).toEqual([
      ['terminated', 1],
      ['out-of-service', 0],
      ['orphaned', 2],
      ['unscheduled', 1],
    ]);
  });

  const ended = (count: number) =>
    podsOf(['a Failed', 'b Succeeded', 'c Running'].slice(0, count).join(', '), { nodeName: 'n' });
  test.each([
    [1, 1, '1 pod has ended, 1 may stay'],
    [3, 5, '2 pods have ended, 5 may stay'],
    [0, 5, '0 pods have ended, 5 may stay'],
    [3, 0, 'a threshold of 0 switches this step off; 2 pods have ended'],
    [1, -1, 'a threshold of -1 switches this step off; 1 pod has ended'],
  ])('terminated: of the first %i pods with threshold %i', (count, threshold, because) => {
    const [terminated] = stepsOf(inputOf(ended(count), [nodeOf('n', 'True')]), threshold, []);
    expect(terminated?.because).toBe(because);
  });

  const orphaned = rowsOf(`
    n, none
    n, gone, gone
    gone, lost
    n, gone, far | far
    far, away | far, away
  `);
  test('orphaned: of pods on Nodes, some of which were not read', () => {
    const told = orphaned.map(([names = '', unread = '']) => {
      const pods = names
        .split(', ')
        .flatMap((name) => podsOf(`on-${name} Running`, { nodeName: name === 'none' ? '' : name }));
      const steps = stepsOf(inputOf(pods, [nodeOf('n', 'True')], unread.split(', ')), 5, []);
      return `${names}: ${steps[2]?.because}`;
    });
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "n, none: 0 Nodes that pods name do not exist
      n, gone, gone: 1 Node that pods name does not exist
      gone, lost: 2 Nodes that pods name do not exist
      n, gone, far: 1 Node that pods name does not exist; whether 1 more exists was not read
      far, away: 0 Nodes that pods name do not exist; whether 2 more exist was not read"
    `);
  });

  test('say of how many pods they do not know', () => {
    const told = (unread: number) =>
      stepsOf(inputOf([]), 5, [], unread).map(({ because }) => because.split('; ')[1]);
    expect(told(0)).toEqual([undefined, undefined, undefined, undefined]);
    const [one, two] = [told(1), told(2)];
    expect([one.length, two.length]).toEqual([4, 4]);
    expect([...new Set([...one, ...two])].join('\n')).toMatchInlineSnapshot(`
      "unknown for 1 pod whose spec was not read
      unknown for 2 pods whose spec was not read"
    `);
  });
});

describe('a skipped pod', () => {
  const deleting = { deleting: 'background', deletionTimestamp: '2026-01-02T23:00:00Z' } as const;
  const times: Readonly<Record<string, string>> = {
    'an hour ago': deleting.deletionTimestamp,
    now: '2026-01-03T00:00:00Z',
    later: '2026-01-03T00:00:01Z',
  };
  /** When the deletion of a pod on Node n ends, the Node that is there, and why the pod stays. */
  const rows = rowsOf(`
                | n True            |
                | n False           |
                | n True, tainted   |
                | n False, tainted  | PG-9 Node n is out of service, but the pod is not deleted yet
    an hour ago | n True            | PG-19 due, but Node n is Ready, so its kubelet must delete it
    an hour ago | n True, tainted   | PG-10 Node n has the taint node.kubernetes.io/out-of-service, but is Ready
    an hour ago | n False           | PG-10 Node n is not ready, but still listed and without the taint node.kubernetes.io/out-of-service
    an hour ago | other True        |
    now         | n True            | PG-19 due, but Node n is Ready, so its kubelet must delete it
    later       | n True            |
    later       | n True, tainted   |
    later       | n Unknown         | PG-10 Node n is not ready, but still listed and without the taint node.kubernetes.io/out-of-service
  `);
  test.each(rows)('as it is deleted "%s" beside Node %s', (time = '', text = '', why = '') => {
    const [name = '', ready = ''] = text.split(/[ ,]+/);
    const node = nodeOf(name, ready, text.includes('tainted') ? ['NoExecute'] : []);
    const deletionTimestamp = times[time];
    const details = deletionTimestamp === undefined ? {} : { ...deleting, deletionTimestamp };
    const pods = podsOf('a Running', { nodeName: 'n' }, details);
    const waiting = waitingPods(inputOf(pods, [node]), new Set(), now);
    expect(waiting.map(({ rule, because }) => `${rule} ${because}`).join()).toBe(why);
  });

  test('is none that a pass takes, and none without a Node', () => {
    const pods = podsOf('a Running, b Running', { nodeName: 'n' }, deleting);
    const unbound = podsOf('c Running', {}, deleting);
    const input = inputOf([...pods, ...unbound], [nodeOf('n', 'True')]);
    const chosen = new Set(pods.filter(({ name }) => name === 'a').map(({ uid }) => uid));
    expect(waitingPods(input, chosen, now).map(({ pod }) => pod.name)).toEqual(['b']);
  });
});

describe('a threshold of one’s own', () => {
  const beyond = (pods: readonly ObjectRecord[], keep: number, per: GroupBy = 'namespace') =>
    beyondOwnThreshold(pods, keep, per).map(({ pod, group }) => [group, pod.name]);

  test('keeps the last ones of each namespace: evicted ones are deleted first, then the oldest (PG-6)', () => {
    const pods = [
      ...podsOf('young Failed', {}, { namespace: 'z', creationTimestamp: '2026-01-02T00:00:00Z' }),
      ...podsOf('old Succeeded', {}, { namespace: 'z' }),
      ...podsOf(
        'evicted Failed/Evicted',
        {},
        {
          namespace: 'z',
          creationTimestamp: '2026-01-02T01:00:00Z',
        },
      ),
      ...podsOf('b Failed, c Failed', {}, { namespace: 'a' }),
      ...podsOf('only Failed', {}, { namespace: 'm' }),
    ];
    expect(beyond(pods, 1)).toEqual([
      ['a', 'b'],
      ['z', 'evicted'],
      ['z', 'old'],
    ]);
    expect(beyond(pods, 3)).toEqual([]);
    expect(beyond(pods, 0)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['m', 'only'],
      ['z', 'evicted'],
      ['z', 'old'],
      ['z', 'young'],
    ]);
  });

  test('does not count pods that have not ended, or that are being deleted', () => {
    const deleting = podsOf('d Failed', {}, { deleting: 'background' });
    expect(beyond([...podsOf('a Failed, b Running, c Pending'), ...deleting], 0)).toEqual([
      ['default', 'a'],
    ]);
  });

  test('says how many have ended, and how many may stay', () => {
    const because = (pods: readonly ObjectRecord[], keep: number) =>
      beyondOwnThreshold(pods, keep, 'namespace')[0]?.because;
    const [two, one] = [because(podsOf('a Failed, b Failed'), 1), because(podsOf('a Failed'), 0)];
    expect(`${two}\n${one}`).toMatchInlineSnapshot(`
      "2 pods of default have ended and 1 may stay; evicted Pods are deleted first, then the oldest
      1 pod of default has ended and 0 may stay; evicted Pods are deleted first, then the oldest"
    `);
  });

  test('of each owner: the one that controls a pod, or else the first; without one, by namespace', () => {
    const [job, other] = ['job', 'other'].map((name) => builderOf('batch/v1', 'Job')(name, {}));
    if (!job || !other) throw new Error('no owners');
    const owned = (name: string, ...ownerReferences: ObjectRecord['ownerReferences']) =>
      podsOf(`${name} Failed`, {}, { ownerReferences });
    const pods = [
      ...owned('a', ownedBy(other), ownedBy(job, { controller: true })),
      ...owned('b', ownedBy(other), ownedBy(job)),
      ...owned('c', ownedBy(job, { controller: true })),
      ...owned('d'),
      ...podsOf('e Failed', {}, { namespace: 'elsewhere' }),
    ];
    expect(beyond(pods, 0, 'owner')).toEqual([
      ['default/Job/job', 'a'],
      ['default/Job/job', 'c'],
      ['default/Job/other', 'b'],
      ['default/no owner', 'd'],
      ['elsewhere/no owner', 'e'],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { podGarbageCollector } from '../../../src/controllers/pod-gc/pod-gc.ts';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type SnapshotOptions, snapshotOf } from '../../support/builders.ts';
import { nodeOf, podsOf } from '../pods.ts';

/** Not a multiple of the period of the passes. */
const now = Date.parse('2026-01-03T00:00:07Z');

/** `a orphaned 0 to 80, certain`: by which step each goes, and between which seconds from now on. */
function decisionsOn(
  records: readonly ObjectRecord[],
  threshold: number,
  options?: SnapshotOptions,
  memory?: Parameters<typeof podGarbageCollector.decide>[3],
) {
  const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
  return podGarbageCollector
    .decide(viewOf(snapshotOf(records, options)), settings, now, memory)
    .map(({ object, step, notBefore, notAfter, confidence }) => {
      const end = notAfter === undefined ? 'never' : (notAfter - now) / 1000;
      return `${object.name} ${step} ${(notBefore - now) / 1000} to ${end}, ${confidence}`;
    });
}

describe('time', () => {
  const orphan = podsOf('a Running', { nodeName: 'gone' });

  test('of a missing node is at most a pass, its quarantine and a pass away (PG-15)', () => {
    expect(decisionsOn(orphan, 0)).toEqual(['a orphaned 0 to 80, certain']);
  });

  test('narrows with what is remembered', () => {
    const startedAt = now - 10_000;
    expect(decisionsOn(orphan, 0, {}, { startedAt })).toEqual(['a orphaned 30 to 80, certain']);
    const quarantine = new Map([['gone', now + 15_000]]);
    const lastPasses = new Map([['pod-garbage-collector', now - 5000] as const]);
    expect(decisionsOn(orphan, 0, {}, { quarantine, lastPasses })).toEqual([
      'a orphaned 15 to 35, certain',
    ]);
  });

  test('is that of a pass, where it is known when passes are', () => {
    const quarantine = new Map([['gone', now + 20_000]]);
    const lastPasses = new Map([['pod-garbage-collector', now - 5000] as const]);
    expect(decisionsOn(orphan, 0, {}, { quarantine, lastPasses })).toEqual([
      'a orphaned 35 to 35, certain',
    ]);
  });

  test('of an orphan is not before its quarantine ends', () => {
    const quarantine = new Map([['gone', now + 15_000]]);
    expect(decisionsOn(orphan, 0, {}, { quarantine })).toEqual(['a orphaned 15 to 20, certain']);
  });

  test('orders the decisions', () => {
    const pods = [
      ...podsOf('later Running', { nodeName: 'seen-last' }),
      ...podsOf('sooner Running', { nodeName: 'seen-first' }),
    ];
    const lastSeen = new Map([
      ['seen-last', now - 10_000],
      ['seen-first', now - 15_000],
    ]);
    expect(decisionsOn(pods, 0, {}, { lastSeen })).toEqual([
      'sooner orphaned 25 to 80, certain',
      'later orphaned 30 to 80, certain',
    ]);
  });

  test('of a second wave is a pass later (PG-8)', () => {
    const held = podsOf('held Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
    const pods = [...podsOf('a Failed, b Failed', { nodeName: 'n' }), ...held];
    expect(decisionsOn([...pods, nodeOf('n', 'True')], 2)).toEqual([
      'held unscheduled 0 to 20, certain',
      'a terminated 20 to 40, certain',
    ]);
  });

  test('of a second wave that follows an orphan may be long after the last quarantine (PG-8)', () => {
    const lost = podsOf('lost Running', { nodeName: 'gone' }, { finalizers: ['x/hold'] });
    const old = podsOf('old Failed', {}, { creationTimestamp: '2025-01-01T00:00:00Z' });
    expect(decisionsOn([...old, ...lost], 1)).toEqual([
      'lost orphaned 0 to 80, certain',
      'old terminated 20 to 100, certain',
    ]);
  });
});

describe('a pod that finalizers hold', () => {
  const at = (day: number, more: object = {}) => ({
    creationTimestamp: `2026-01-0${day}T00:00:00Z`,
    finalizers: ['x/hold'],
    ...more,
  });

  test('is chosen again in every pass, in its place (PG-8)', () => {
    const pods = [
      ...podsOf('evicted Failed/Evicted', {}, at(2)),
      ...podsOf('old Failed', {}, at(1, { finalizers: [] })),
    ];
    expect(decisionsOn(pods, 1)).toEqual(['evicted terminated 0 to 20, certain']);
  });

  test('is not evicted when it has succeeded', () => {
    const deleting = { deleting: 'background' };
    const pods = [
      ...podsOf('succeeded Succeeded/Evicted', {}, at(2, deleting)),
      ...podsOf('running Running', {}, at(2, deleting)),
      ...podsOf('old Failed', {}, at(1, { finalizers: [] })),
    ];
    expect(decisionsOn(pods, 2)).toEqual([
      'succeeded unscheduled 0 to 20, certain',
      'running unscheduled 0 to 20, certain',
      'old terminated 20 to 40, certain',
    ]);
  });
});

describe('what is told and written', () => {
  const deleting = { deleting: 'background' } as const;
  const told = (
    pods: readonly ObjectRecord[],
    threshold: number,
    nodes = [nodeOf('n', 'True')],
  ) => {
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
    return podGarbageCollector
      .decide(viewOf(snapshotOf([...pods, ...nodes])), settings, now)
      .map(({ object, rule, because, patch }) => [
        object.name,
        rule,
        because,
        patch?.body.status as object | undefined,
      ]);
  };
  const failed = { phase: 'Failed' };

  test('of ended pods: how they ended, and which go first', () => {
    const pods = [
      ...podsOf('a Failed/Evicted, b, c Succeeded', { nodeName: 'n' }),
      ...podsOf('held Failed', { nodeName: 'n' }, { finalizers: ['x/a', 'x/b'] }),
    ];
    const more = 'and more than 1 pod has ended';
    const oldest = 'the oldest go first';
    expect(
      told(
        [...pods, ...podsOf('young Failed', {}, { creationTimestamp: '2026-01-02T23:00:00Z' })],
        1,
      ),
    ).toEqual([
      ['a', 'PG-5', `it is Evicted, ${more}; evicted pods go first, then the oldest`, undefined],
      [
        'held',
        'PG-5',
        `it is Failed, ${more}; ${oldest}; it stays until x/a, x/b is removed`,
        undefined,
      ],
      ['b', 'PG-5', `it is without a phase, ${more}; ${oldest}`, failed],
      ['c', 'PG-5', `it is Succeeded, ${more}; ${oldest}`, undefined],
    ]);
  });

  test('of a second wave, what it follows', () => {
    const held = podsOf('held Running', {}, { ...deleting, finalizers: ['x/hold'] });
    const [, second] = told([...podsOf('a Failed, b Failed', { nodeName: 'n' }), ...held], 2);
    expect(second).toEqual([
      'a',
      'PG-8',
      'it is Failed, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest go first',
      undefined,
    ]);
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
    expect(told(pods, 0, [nodeOf('down', 'False', ['NoExecute'])])).toEqual([
      [
        'a',
        'PG-10',
        'it is being deleted on Node down, which is not ready and has the taint node.kubernetes.io/out-of-service',
        failed,
      ],
      [
        'b',
        'PG-16',
        'it is bound to Node gone, which does not exist',
        { ...failed, conditions: [condition] },
      ],
      [
        'c',
        'PG-17',
        'it is being deleted and bound to no Node; it stays until x/hold is removed',
        failed,
      ],
    ]);
  });
});

describe('where a quarantine and the threshold may choose a pod', () => {
  // Held back, they count from the second pass on, before any quarantine of a new leader is over.
  const held = podsOf('held Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
  const pods = [...podsOf('a Failed', { nodeName: 'gone' }), ...podsOf('b Failed'), ...held];
  const startedAt = now - 10_000;

  test('it goes with the first', () => {
    expect(decisionsOn(pods, 2, {}, { startedAt })).toEqual([
      'held unscheduled 0 to 20, certain',
      'a terminated 20 to 40, certain',
    ]);
  });

  test('both reasons are told', () => {
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: 2 };
    const [first] = podGarbageCollector.decide(viewOf(snapshotOf(pods)), settings, now);
    expect(first?.because).toBe(
      'it is bound to Node gone, which does not exist; or, if that comes first, it is Failed, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest go first',
    );
  });

  test('what is written is what both write', () => {
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: 2 };
    const noPhase = [...podsOf('a', { nodeName: 'gone' }), ...podsOf('b Failed'), ...held];
    const decisions = podGarbageCollector.decide(viewOf(snapshotOf(noPhase)), settings, now);
    expect(decisions.map(({ object, step, patch }) => [object.name, step, patch?.body])).toEqual([
      ['a', 'orphaned', { status: { phase: 'Failed' } }],
      ['held', 'unscheduled', { status: { phase: 'Failed' } }],
    ]);
  });
});

describe('doubt', () => {
  test('where a pod goes only if a quarantine ends late: an orphan that goes before does not count', () => {
    const held = podsOf('held Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
    const old = podsOf('old', { nodeName: 'n' }, { creationTimestamp: '2025-01-01T00:00:00Z' });
    const lost = podsOf('lost Failed', { nodeName: 'gone' });
    const pods = [...old, ...lost, ...held, nodeOf('n', 'True')];
    expect(decisionsOn(pods, 2)).toEqual([
      'lost orphaned 0 to 80, certain',
      'held unscheduled 0 to 20, certain',
      'old terminated 20 to never, unknown',
    ]);
    // A pass may come before the end of a quarantine, or after it.
    expect(decisionsOn(pods, 2, {}, { startedAt: now - 35_000 }).at(-1)).toEqual(
      'old terminated 20 to never, unknown',
    );
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: 2 };
    const decisions = podGarbageCollector.decide(viewOf(snapshotOf(pods)), settings, now);
    const decision = decisions.find(({ object }) => object.name === 'old');
    expect([decision?.because, decision?.patch?.body]).toEqual([
      'it is without a phase, and more than 2 pods have ended, once pods that the pass before left Failed count as well; the oldest go first; it depends on when quarantines end, which only the controller knows',
      { status: { phase: 'Failed' } },
    ]);
  });

  test('where a pod goes only if one quarantine ends before another', () => {
    const held = podsOf('held Running', { nodeName: 'lost' }, { finalizers: ['x/hold'] });
    const gone = podsOf('gone Failed', { nodeName: 'gone' });
    const old = podsOf('old Failed', {}, { creationTimestamp: '2025-01-01T00:00:00Z' });
    expect(decisionsOn([...held, ...gone, ...old], 2)).toEqual([
      'held orphaned 0 to 80, certain',
      'gone orphaned 0 to 80, certain',
      'old terminated 20 to never, unknown',
    ]);
    // Without a pod that stays, none of these orders lets another go.
    expect(decisionsOn([...gone, ...podsOf('x Failed', { nodeName: 'lost' }), ...old], 3)).toEqual([
      'gone orphaned 0 to 80, certain',
      'x orphaned 0 to 80, certain',
    ]);
  });

  test('where a pod goes only before a quarantine ends, with whose Node some pods stay and some leave', () => {
    const lost = { nodeName: 'lost' };
    const held = podsOf('held Failed', lost, { finalizers: ['x/hold'] });
    const old = podsOf('old Failed', {}, { creationTimestamp: '2025-01-01T00:00:00Z' });
    const other = podsOf('other Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
    const pods = [...held, ...podsOf('leaves Failed', lost), ...old, ...other];
    expect(decisionsOn(pods, 3).at(-1)).toEqual('old terminated 20 to never, unknown');
  });

  test('is none where one quarantine that ends before another only delays it', () => {
    const held = podsOf('held Running', { nodeName: 'lost' }, { finalizers: ['x/hold'] });
    const gone = podsOf('gone Failed', { nodeName: 'gone' });
    const old = podsOf('old Failed', {}, { creationTimestamp: '2025-01-01T00:00:00Z' });
    const other = podsOf('other Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
    expect(decisionsOn([...held, ...gone, ...old, ...other], 2).at(-1)).toEqual(
      'old terminated 20 to 100, certain',
    );
  });

  test('of the Node of a pod makes no difference where the threshold takes it', () => {
    const pods = podsOf('a Failed, b Failed', { nodeName: 'n' });
    expect(decisionsOn(pods, 1, { unread: ['nodes'] })[0]).toEqual('a terminated 0 to 20, certain');
  });

  test('nodes that could not be read may be there', () => {
    const pods = podsOf('a Running', { nodeName: 'n' });
    expect(decisionsOn(pods, 0, { unread: ['nodes'] })).toEqual(['a orphaned 0 to never, unknown']);
    const view = viewOf(snapshotOf(pods, { unread: ['nodes'] }));
    const [decision] = podGarbageCollector.decide(view, defaultControllerSettings, now);
    expect([decision?.isNodeUnread, decision?.because]).toEqual([
      true,
      'whether its Node n exists was not read; if it does not, pod garbage collection deletes the pod',
    ]);
  });

  test('pods of other namespaces count, read or not', () => {
    const pods = podsOf('a Failed, b Failed');
    const coverage = { read: [{ resource: 'pods', namespaces: ['default'] }] };
    expect(decisionsOn(pods, 1, { coverage })).toEqual(['a terminated 0 to 20, unknown']);
  });

  test('pods of other namespaces make no difference for one whose Node is gone', () => {
    const pods = podsOf('a Running', { nodeName: 'gone' });
    const coverage = {
      read: [{ resource: 'pods', namespaces: ['default'] }, { resource: 'nodes' }],
    };
    expect(decisionsOn(pods, 1, { coverage })).toEqual(['a orphaned 0 to 80, certain']);
  });

  test('of ties', () => {
    const at = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const pods = [
      ...podsOf('a Failed', {}, { ...at, namespace: 'x' }),
      ...podsOf('a Failed', {}, { ...at, namespace: 'y' }),
    ];
    expect(decisionsOn(pods, 1)).toEqual(['a terminated 0 to 20, unknown']);
  });

  test('is none where another step takes the pod that chance would spare', () => {
    const at = { creationTimestamp: '2026-01-01T00:00:00Z', deleting: 'background' } as const;
    const pods = [
      ...podsOf('a Failed', {}, { ...at, namespace: 'x' }),
      ...podsOf('a Failed', {}, { ...at, namespace: 'y' }),
    ];
    expect(decisionsOn(pods, 1)).toEqual([
      'a terminated 0 to 20, unknown',
      'a unscheduled 0 to 20, certain',
    ]);
  });

  test('manifests that were never applied and bare metadata are no pods', () => {
    const manifest = podsOf('a Failed, b Failed', {}, { uid: '' });
    const metadata = podsOf('c Failed, d Failed').map((pod) => ({ ...pod, facts: undefined }));
    expect(decisionsOn([...manifest, ...metadata], 1)).toEqual([]);
  });
});

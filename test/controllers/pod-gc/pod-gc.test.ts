import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { podGarbageCollector } from '../../../src/controllers/pod-gc/pod-gc.ts';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type SnapshotOptions, snapshotOf } from '../../support/builders.ts';
import { nodeOf, podsOf } from '../pods.ts';
import { readCleanup, recordedCleanups } from '../recorded-cleanup.ts';

const now = Date.parse('2026-01-03T00:00:00Z');

function decisionsOn(
  records: readonly ObjectRecord[],
  threshold: number,
  options?: SnapshotOptions,
  memory?: Parameters<typeof podGarbageCollector.decide>[3],
) {
  const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
  return podGarbageCollector
    .decide(viewOf(snapshotOf(records, options)), settings, now, memory)
    .map(({ object, step, notBefore, notAfter, confidence }) => [
      object.name,
      step,
      (notBefore - now) / 1000,
      notAfter === undefined ? 'never' : (notAfter - now) / 1000,
      confidence,
    ]);
}

describe.each(recordedCleanups)('%s', (name) => {
  test('ends as a real controller manager left it', () => {
    const { now, threshold, before, left } = readCleanup(name);
    const settings = { ...defaultControllerSettings, terminatedPodGCThreshold: threshold };
    const decisions = podGarbageCollector.decide(viewOf(before), settings, now);
    const marked = new Map(decisions.map(({ object, patch }) => [object.uid, patch]));
    const predicted = before.records
      .filter(({ type, uid, finalizers }) => {
        return type.kind === 'Pod' && (!marked.has(uid) || finalizers.length > 0);
      })
      .map(({ name, uid, facts }) => [name, marked.get(uid) ? 'Failed' : facts?.phase]);
    const pods = left.filter(({ kind }) => kind === 'Pod').map(({ name, phase }) => [name, phase]);
    expect(predicted.sort()).toEqual(pods.sort());
    expect(decisions.length).toBeGreaterThan(0);
  });
});

describe('time', () => {
  const orphan = podsOf('a Running', { nodeName: 'gone' });

  test('of a missing node is at most a pass, its quarantine and a pass away (PG-15)', () => {
    expect(decisionsOn(orphan, 0)).toEqual([['a', 'orphaned', 0, 80, 'certain']]);
  });

  test('narrows with what is remembered', () => {
    const startedAt = now - 10_000;
    expect(decisionsOn(orphan, 0, {}, { startedAt })).toEqual([
      ['a', 'orphaned', 30, 80, 'certain'],
    ]);
    const quarantine = new Map([['gone', now + 15_000]]);
    const lastPasses = new Map([['pod-garbage-collector', now - 5000] as const]);
    expect(decisionsOn(orphan, 0, {}, { quarantine, lastPasses })).toEqual([
      ['a', 'orphaned', 15, 35, 'certain'],
    ]);
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
      ['sooner', 'orphaned', 25, 80, 'certain'],
      ['later', 'orphaned', 30, 80, 'certain'],
    ]);
  });

  test('of a second wave is a pass later (PG-8)', () => {
    const held = podsOf('held Running', {}, { deleting: 'background', finalizers: ['x/hold'] });
    const pods = [...podsOf('a Failed, b Failed', { nodeName: 'n' }), ...held];
    expect(decisionsOn([...pods, nodeOf('n', 'True')], 2)).toEqual([
      ['held', 'unscheduled', 0, 20, 'certain'],
      ['a', 'terminated', 20, 40, 'certain'],
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
      ['held', 'unscheduled', 0, 20, 'certain'],
      ['a', 'terminated', 20, 40, 'certain'],
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
  test('nodes that could not be read may be there', () => {
    const pods = podsOf('a Running', { nodeName: 'n' });
    expect(decisionsOn(pods, 0, { unread: ['nodes'] })).toEqual([
      ['a', 'orphaned', 0, 'never', 'unknown'],
    ]);
  });

  test('pods of other namespaces count, read or not', () => {
    const pods = podsOf('a Failed, b Failed');
    const coverage = { read: [{ resource: 'pods', namespaces: ['default'] }] };
    expect(decisionsOn(pods, 1, { coverage })).toEqual([['a', 'terminated', 0, 20, 'unknown']]);
  });

  test('pods of other namespaces make no difference for one whose Node is gone', () => {
    const pods = podsOf('a Running', { nodeName: 'gone' });
    const coverage = {
      read: [{ resource: 'pods', namespaces: ['default'] }, { resource: 'nodes' }],
    };
    expect(decisionsOn(pods, 1, { coverage })).toEqual([['a', 'orphaned', 0, 80, 'certain']]);
  });

  test('of ties', () => {
    const at = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const pods = [
      ...podsOf('a Failed', {}, { ...at, namespace: 'x' }),
      ...podsOf('a Failed', {}, { ...at, namespace: 'y' }),
    ];
    expect(decisionsOn(pods, 1)).toEqual([['a', 'terminated', 0, 20, 'unknown']]);
  });

  test('is none where another step takes the pod that chance would spare', () => {
    const at = { creationTimestamp: '2026-01-01T00:00:00Z', deleting: 'background' } as const;
    const pods = [
      ...podsOf('a Failed', {}, { ...at, namespace: 'x' }),
      ...podsOf('a Failed', {}, { ...at, namespace: 'y' }),
    ];
    expect(decisionsOn(pods, 1)).toEqual([
      ['a', 'terminated', 0, 20, 'unknown'],
      ['a', 'unscheduled', 0, 20, 'certain'],
    ]);
  });

  test('manifests that were never applied and bare metadata are no pods', () => {
    const manifest = podsOf('a Failed, b Failed', {}, { uid: '' });
    const metadata = podsOf('c Failed, d Failed').map((pod) => ({ ...pod, facts: undefined }));
    expect(decisionsOn([...manifest, ...metadata], 1)).toEqual([]);
  });
});

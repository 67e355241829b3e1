import { describe, expect, test } from 'vitest';
import { RecordCompactor } from '../../src/files/input-contents.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { node, pod } from '../support/builders.ts';

const { type } = pod('any');

const object = (name: string): Record<string, unknown> => ({
  metadata: {
    name,
    namespace: '["x"]',
    uid: name,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web' },
    annotations: { 'helm.sh/hook': 'test' },
    finalizers: ['x'],
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u' }],
    managedFields: [
      {
        manager: 'kcm',
        operation: 'Update',
        fieldsV1: { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } } },
      },
    ],
  },
  spec: { nodeName: 'node-a' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

describe('RecordCompactor', () => {
  test('changes nothing but what is shared', () => {
    const compactor = new RecordCompactor();
    const [first, second] = ['a', 'b'].map((name) =>
      compactor.compact(recordOf(object(name), type)),
    );
    expect([first, second]).toEqual(['a', 'b'].map((name) => recordOf(object(name), type)));
    for (const field of [
      'labels',
      'annotations',
      'finalizers',
      'ownerReferences',
      'writers',
    ] as const) {
      expect(first?.[field]).toBe(second?.[field]);
    }
    expect(first?.facts?.conditions?.[0]).toBe(second?.facts?.conditions?.[0]);
  });

  test('shares taints', () => {
    const compactor = new RecordCompactor();
    const tainted = { metadata: {}, spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } };
    const [first, second] = [1, 2].map(() => compactor.compact(recordOf(tainted, node('a').type)));
    expect(first?.facts).toEqual({ taints: [{ key: 'a', effect: 'NoExecute' }] });
    expect(first?.facts?.taints).toBe(second?.facts?.taints);
  });

  test('leaves a record without anything as it is', () => {
    const record = pod('web');
    expect(new RecordCompactor().compact({ ...record })).toEqual(record);
  });

  test('forgets, so that it does not grow', () => {
    const compactor = new RecordCompactor();
    const labels = { app: 'web' };
    const first = compactor.compact(pod('a', { labels: { ...labels } })).labels;
    expect(compactor.compact(pod('b', { labels: { ...labels } })).labels).toBe(first);
    for (let i = 0; i < 70_000; i++) compactor.compact(pod('c', { labels: { app: String(i) } }));
    expect(compactor.compact(pod('d', { labels: { ...labels } })).labels).not.toBe(first);
  });
});

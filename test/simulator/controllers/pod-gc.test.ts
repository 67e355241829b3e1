import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { node, pod } from '../../support/builders.ts';
import { at, play, told } from './play-controllers.ts';

const podgc = (seconds: number, text: string) =>
  `${seconds}s pod-garbage-collector-controller ${text}`;
const ended = (name: string, seconds = 0, more: Partial<ObjectRecord> = {}) =>
  pod(name, { creationTimestamp: at(seconds), facts: { phase: 'Failed', nodeName: '' }, ...more });
const worker = node('worker');
const remove = (kind: string, name: string, after = '0s') =>
  parseRequests(
    [{ verb: 'delete', apiVersion: 'v1', kind, name, namespace: 'shop', after }],
    'requests',
  );

describe('pod garbage collection', () => {
  test('deletes the oldest pods above the threshold, and is quiet then', () => {
    const pods = [ended('b', -10), ended('a', -20), ended('c', -5)];
    expect(told(pods, { settings: { terminatedPodGCThreshold: 1 } })).toEqual([
      podgc(0, 'delete a removed PG-5'),
      podgc(0, 'delete b removed PG-5'),
      'quiet: c',
    ]);
  });

  test('leaves it open which of two pods is deleted whose creation time and name are equal', () => {
    const pods = [ended('a', 0), ended('a', 0, { namespace: 'db', uid: 'other' })];
    const { left, open } = play(pods, { settings: { terminatedPodGCThreshold: 1 } });
    expect({ left, open }).toEqual({ left: ['a', 'a'], open: ['a', 'a'] });
  });

  const lost = pod('lost', { facts: { nodeName: 'gone', phase: 'Running' } });

  test('waits for 40 seconds before it deletes the pods of a missing Node', () => {
    expect(told([worker, lost])).toEqual([
      podgc(40, 'patch lost changed PG-16'),
      podgc(40, 'delete lost removed PG-16'),
      'quiet: worker',
    ]);
  });

  test.each([
    ['before the quarantine ends', 30_000, ['lost']],
    ['before the last pass', 79_999, ['lost']],
    ['after it', 80_000, []],
  ])('leaves them open %s', (_, duration, open) => {
    expect(play([worker, lost], { clock: { duration } }).open).toEqual(open);
  });

  test('knows when a quarantine began that begins with the controller', () => {
    const clock = { start: 'after-requests', duration: 39_999 } as const;
    expect(play([worker, lost], { clock }).open).toEqual([]);
  });

  test('notices a Node that is deleted, and a pod that becomes Failed counts in the next pass', () => {
    const bound = pod('bound', {
      facts: { nodeName: 'worker', phase: 'Running' },
      creationTimestamp: at(-9),
      finalizers: ['a/b'],
    });
    const settings = { terminatedPodGCThreshold: 1 };
    const pods = [ended('young', -1)];
    expect(
      play([worker, node('other'), bound, ...pods], {
        requests: remove('Node', 'worker', '5s'),
        settings,
      }),
    ).toEqual({
      steps: [podgc(60, 'patch bound changed PG-16'), podgc(60, 'delete bound terminating PG-16')],
      left: ['other', 'bound', 'young'],
      open: [],
      ended: 'stuck',
    });
  });

  test('spares the pods of a Node that is there again, and of a snapshot without Nodes', () => {
    const object = { metadata: { name: 'gone' } };
    const requests = parseRequests(
      [{ verb: 'create', apiVersion: 'v1', kind: 'Node', name: 'gone', object, after: '30s' }],
      'requests',
    );
    const none = { steps: [], open: [], ended: 'quiet' };
    expect(play([worker, lost], { requests })).toEqual({
      ...none,
      left: ['worker', 'lost', 'gone'],
    });
    expect(play([lost])).toEqual({ ...none, left: ['lost'] });
  });
});

import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { expiryOf, ttlAfterFinished } from '../../../src/controllers/jobs/ttl-after-finished.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { job, ownedBy, snapshotOf } from '../../support/builders.ts';
import { ago, decide, decided, hour, now, timed } from '../decided.ts';

const finished = (type: string, secondsAgo: number, ttl?: number): ObjectFacts => ({
  conditions: [{ type, status: 'True', lastTransitionTime: ago(secondsAgo * 1000) }],
  ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
});

describe('TestTimeLeft', () => {
  test.each<[string, ObjectFacts, number | undefined]>([
    ['Error case: Job unfinished', { ttlSecondsAfterFinished: 100 }, undefined],
    ['Error case: Job completed now, no TTL', finished('Complete', 0), undefined],
    ['Job completed now, 0s TTL', finished('Complete', 0, 0), 0],
    ['Job completed now, 10s TTL', finished('Complete', 0, 10), 10],
    ['Job completed 10s ago, 15s TTL', finished('Complete', 10, 15), 5],
    ['Error case: Job failed now, no TTL', finished('Failed', 0), undefined],
    ['Job failed now, 0s TTL', finished('Failed', 0, 0), 0],
    ['Job failed now, 10s TTL', finished('Failed', 0, 10), 10],
    ['Job failed 10s ago, 15s TTL', finished('Failed', 10, 15), 5],
  ])('%s', (_, facts, left) => {
    const expiry = expiryOf(job('a', { facts }));
    expect(expiry === undefined ? undefined : (expiry - now) / 1000).toBe(left);
  });
});

test('the first condition that is True counts, and the time it has (TTL-2, TTL-3)', () => {
  const conditions = [
    { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: ago(9000) },
    { type: 'Complete', status: 'False', lastTransitionTime: ago(8000) },
    { type: 'Failed', status: 'True', lastTransitionTime: ago(7000) },
    { type: 'Complete', status: 'True', lastTransitionTime: ago(6000) },
  ];
  expect(
    timed(ttlAfterFinished, [
      job('a', { facts: { conditions, ttlSecondsAfterFinished: 10 } }),
      job('timeless', {
        facts: { conditions: [{ type: 'Failed', status: 'True' }], ttlSecondsAfterFinished: 0 },
      }),
      job('deleting', { deleting: 'background', facts: finished('Complete', 0, 0) }),
      job('metadata'),
      job('future', { facts: finished('Complete', -60, 10) }),
    ]),
  ).toEqual([
    ['a', 3, 3],
    ['future', 70, 70],
  ]);
});

test('deletes in the foreground, this very Job (TTL-8)', () => {
  const [failed, complete] = decide(ttlAfterFinished, [
    job('a', { facts: finished('Failed', 60, 0) }),
    job('b', { facts: finished('Complete', 60, 0) }),
  ]);
  expect([failed?.options, failed?.rule, failed?.because, complete?.because]).toEqual([
    { propagationPolicy: 'Foreground', uid: 'uid-job-shop-a' },
    'TTL-4',
    `it was Failed at ${ago(60_000)}, and its ttlSecondsAfterFinished is 0`,
    `it was Complete at ${ago(60_000)}, and its ttlSecondsAfterFinished is 0`,
  ]);
});

test('finished Jobs without a TTL and an owner are not deleted', () => {
  const left = ttlAfterFinished.leftovers?.(
    viewOf(
      snapshotOf([
        job('a', { facts: finished('Complete', 60) }),
        job('b', { facts: finished('Complete', 60, 5) }),
        job('c', { facts: {} }),
        job('d', { facts: finished('Complete', 60), ownerReferences: [ownedBy(job('owner'))] }),
        job('e', { facts: finished('Complete', 60), deleting: 'background' }),
      ]),
    ),
    now,
  );
  expect(left?.map(({ object }) => object.name)).toEqual(['a']);
  expect(decided(ttlAfterFinished, [job('a', { facts: finished('Complete', hour) })])).toEqual([]);
});

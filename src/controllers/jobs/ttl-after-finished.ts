import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { finishedCondition } from '../../kube/well-known-kinds.ts';
import type { Decision, SyncedController, SyncInput } from '../controller.ts';
import { deletion } from '../decision.ts';

/**
 * When a Job expires, in epoch milliseconds; undefined when it should not be cleaned up. Mirrors timeLeft,
 * pkg/controller/ttlafterfinished/ttlafterfinished_controller.go (TTL-1 to TTL-4).
 * @internal
 */
export function expiryOf(job: ObjectRecord): number | undefined {
  const ttl = job.facts?.ttlSecondsAfterFinished;
  const finishedAt = finishedCondition(job)?.lastTransitionTime;
  if (ttl === undefined || finishedAt === undefined || isBeingDeleted(job)) return undefined;
  return Date.parse(finishedAt) + ttl * 1000;
}

export const ttlAfterFinished: SyncedController = {
  id: 'ttl-after-finished',
  controllers: ['ttl-after-finished-controller'],
  reads: ['jobs.batch'],
  syncers: [
    {
      runsAs: 'ttl-after-finished-controller',
      syncs: 'jobs.batch',
      sync: expire,
      needsSync: (job) =>
        job.facts?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined,
    },
  ],
  leftovers(view) {
    return view
      .all('jobs.batch')
      .filter(
        (job) =>
          finishedCondition(job) !== undefined &&
          job.facts?.ttlSecondsAfterFinished === undefined &&
          job.ownerReferences.length === 0 &&
          !isBeingDeleted(job),
      )
      .map((object) => ({
        collector: ttlAfterFinished.id,
        object,
        because: 'it has finished, has no owner and no ttlSecondsAfterFinished',
        rule: 'TTL-1',
      }));
  },
};

function expire(job: ObjectRecord, { now }: SyncInput): Decision[] {
  const expiry = expiryOf(job);
  if (expiry === undefined) return [];
  const at = Math.max(now, expiry);
  const finished = finishedCondition(job);
  return [
    deletion(ttlAfterFinished.id, job, {
      options: { propagationPolicy: 'Foreground', uid: job.uid },
      notBefore: at,
      notAfter: at,
      because: `it was ${finished?.type === 'Failed' ? 'Failed' : 'Complete'} at ${finished?.lastTransitionTime}, and its ttlSecondsAfterFinished is ${job.facts?.ttlSecondsAfterFinished}`,
      rule: 'TTL-4',
    }),
  ];
}

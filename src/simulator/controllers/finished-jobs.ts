import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import { finishedCondition } from '../../kube/well-known-kinds.ts';
import { focusOn, type KeyedController } from './keyed-controller.ts';

/** Each Job has its own expiry time (TTL-6). */
export const finishedJobs: KeyedController = {
  id: ttlAfterFinished.id,
  controller: 'ttl-after-finished-controller',
  kinds: ['jobs.batch'],
  reads: ['jobs.batch'],
  concerns: (job) =>
    job.facts?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined,
  decide: (job, { view, settings }, { now }) =>
    ttlAfterFinished.decide(focusOn(job, view), settings, now),
};

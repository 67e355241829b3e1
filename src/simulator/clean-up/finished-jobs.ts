import { finishedCondition } from '../../collectors/job-state.ts';
import { ttlAfterFinished } from '../../collectors/ttl-after-finished.ts';
import { focusOn, type KeyedCollector } from './keyed-collector.ts';

/** Each Job has a time of its own (TTL-6). */
export const finishedJobs: KeyedCollector = {
  id: ttlAfterFinished.id,
  controller: 'ttl-after-finished-controller',
  kinds: ['jobs.batch'],
  reads: ['jobs.batch'],
  concerns: (job) =>
    job.facts?.ttlSecondsAfterFinished !== undefined && finishedCondition(job) !== undefined,
  decide: (job, { view, settings }, { now }) =>
    ttlAfterFinished.decide(focusOn(job, view), settings, now),
};

import { controllerOf } from '../../controllers/decision.ts';
import { afterLosses, isActive, jobController, siblingsOf } from '../../controllers/jobs/job.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { finishedCondition, isPod } from '../../kube/well-known-kinds.ts';
import { byController } from './indexes.ts';
import type { KeyedController } from './keyed-controller.ts';

const jobs = 'jobs.batch';

/** Jobs that lose pods during a run, and may finish by that (JOB-1), and those that are suspended (JOB-2). */
export const lossesOfJobs: KeyedController = {
  id: jobController.id,
  controller: 'job-controller',
  kinds: [jobs],
  reads: [jobs, 'pods'],
  concerns: ({ uid, facts }, { lostPods }) => lostPods.has(uid) || facts?.suspend === true,
  affected: ({ before, after }, { state, lostPods }) => {
    if (!before || !isPod(before) || !isActive(before)) return [];
    const [uid] = uidOfController(before);
    if (uid === undefined || (after && !isBeingDeleted(after))) return [];
    const job = state.at(jobs, before.namespace, controllerOf(before)?.name ?? '');
    if (job?.uid !== uid || finishedCondition(job)) return [];
    lostPods.set(uid, (lostPods.get(uid) ?? new Map()).set(before.uid, before));
    return [job];
  },
  decide: (job, { indexes, lostPods, view }, { now }) => {
    if (isBeingDeleted(job)) return [];
    const pods = indexes.of(byController('pods')).get(job.uid);
    const lost = [...(lostPods.get(job.uid)?.values() ?? [])];
    return afterLosses({ job, pods, lost, siblings: siblingsOf(view, job) }, now);
  },
  linksOf: (record) => (record.type.kind === 'Job' ? [record.uid] : uidOfController(record)),
};

/** Of a pod of a Job. */
function uidOfController(record: ObjectRecord): readonly string[] {
  const controller = isPod(record) ? controllerOf(record) : undefined;
  return controller?.kind === 'Job' ? [controller.uid] : [];
}

import { counted } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { apiDefaults, finishedCondition } from '../../kube/well-known-kinds.ts';
import { type ClusterView, ownName } from '../cluster-view.ts';
import type { Decision, Kept, PassController } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';

export const cronJobHistory: PassController = {
  id: 'cronjob-history',
  controllers: ['cronjob-controller'],
  reads: ['cronjobs.batch', 'jobs.batch'],
  // Only Jobs with a controller that have finished can be too many.
  needsPass: (record) =>
    isCronJob(record)
      ? record.facts !== undefined
      : controllerOf(record) !== undefined && finishedCondition(record) !== undefined,
  groupOf(record) {
    if (record.type.kind !== 'Job' && !(isCronJob(record) && record.facts)) return undefined;
    const name = isCronJob(record) ? record.name : controllerOf(record)?.name;
    return name === undefined ? undefined : `${record.namespace}/${name}`;
  },
  // A CronJob, and what it lists as running, also under another controller.
  links: {
    'jobs.batch': ownName,
    'cronjobs.batch': ({ namespace, facts }) =>
      (facts?.activeJobs ?? []).map((job) => `${namespace}/${job.name}`),
  },
  pass(view, _settings, now) {
    const cronJobs = view.all('cronjobs.batch').filter(({ facts }) => facts !== undefined);
    return cronJobs.flatMap((cronJob) => [
      ...excess(view, cronJob, now),
      ...replaced(view, cronJob, now),
    ]);
  },
  kept: keptInHistory,
};

function isCronJob({ type }: ObjectRecord): boolean {
  return type.kind === 'CronJob';
}

/** The limits by what a Job has ended with. */
const limits = {
  Complete: 'successfulJobsHistoryLimit',
  Failed: 'failedJobsHistoryLimit',
} as const;

/** A finished Job within the limits of its CronJob (CJ-4). */
function keptInHistory(view: ClusterView, job: ObjectRecord): Kept | undefined {
  const type = finishedCondition(job)?.type;
  const owner = view.at('cronjobs.batch', job.namespace, controllerOf(job)?.name ?? '');
  if ((type !== 'Complete' && type !== 'Failed') || !owner?.facts) return undefined;
  const field = limits[type];
  const limit = owner.facts[field] ?? apiDefaults[field];
  const standard = owner.facts[field] === undefined ? ', the default' : '';
  const finished = jobsOf(view, owner).filter((one) => finishedCondition(one)?.type === type);
  if (!finished.some(({ uid }) => uid === job.uid)) return undefined;
  return {
    because: `CronJob ${owner.name} keeps the last ${limit} of its Jobs that are ${type} (${field} ${limit}${standard}), and has ${finished.length}`,
    next: `To have it deleted, set ${field} of the CronJob to 0, or ttlSecondsAfterFinished of its Jobs.`,
    rule: 'CJ-4',
  };
}

/** The finished Jobs above the limits, successful ones first (CJ-4). */
function excess(view: ClusterView, cronJob: ObjectRecord, now: number): Decision[] {
  const jobs = jobsOf(view, cronJob);
  const over = (type: keyof typeof limits): Decision[] => {
    const name = limits[type];
    const limit = cronJob.facts?.[name] ?? apiDefaults[name];
    const finished = jobs.filter((job) => finishedCondition(job)?.type === type);
    return finished
      .sort(byStartTime)
      .slice(0, Math.max(0, finished.length - limit))
      .map((job) =>
        deletion(cronJobHistory.id, job, {
          ...nextSync(now),
          options: { propagationPolicy: 'Background' },
          because: `CronJob ${cronJob.name} has ${finished.length} Jobs that are ${type}, and its ${name} is ${limit}; the oldest are deleted first`,
          rule: 'CJ-4',
        }),
      );
  };
  return [...over('Complete'), ...over('Failed')];
}

/**
 * The Jobs that leave a full history with the next run of their CronJob that ends as they did (CJ-4). When a run begins and how it
 * ends is not simulated.
 */
export function nextOutOfHistory(
  view: ClusterView,
): { readonly object: ObjectRecord; readonly because: string }[] {
  return view.all('cronjobs.batch').flatMap((cronJob) => {
    if (!cronJob.facts || cronJob.facts.suspend || isBeingDeleted(cronJob)) return [];
    const { facts } = cronJob;
    const jobs = jobsOf(view, cronJob);
    return (['Complete', 'Failed'] as const).flatMap((type) => {
      const name = limits[type];
      const limit = facts[name] ?? apiDefaults[name];
      const finished = jobs
        .filter((job) => finishedCondition(job)?.type === type)
        .sort(byStartTime);
      const object = limit === 0 ? undefined : finished.at(-limit);
      if (!object) return [];
      const because = `CronJob ${cronJob.name} keeps ${counted(limit, `${type} Job`)}, and deletes this one after the next`;
      return [{ object, because }];
    });
  });
}

/** By the controller's uid since v1.37, and before by its name alone: kind and uid were not compared (CJ-2). */
export function jobsOf(view: ClusterView, cronJob: ObjectRecord): ObjectRecord[] {
  return view
    .in('jobs.batch', cronJob.namespace)
    .filter((job) =>
      view.minor >= 37
        ? controllerOf(job)?.uid === cronJob.uid
        : controllerOf(job)?.name === cronJob.name,
    );
}

/** Jobs that have not started come last (CJ-4). */
function byStartTime(a: ObjectRecord, b: ObjectRecord): number {
  const [one, other] = [a.facts?.startTime, b.facts?.startTime];
  if (one === undefined && other !== undefined) return 1;
  if (one !== undefined && other === undefined) return -1;
  return compareText(one ?? '', other ?? '') || compareText(a.name, b.name);
}

/**
 * With Replace the next run deletes what the CronJob lists as active (CJ-8). Of that it drops only its own Jobs that have
 * finished (syncCronJob, pkg/controller/cronjob/cronjob_controllerv2.go).
 */
function replaced(view: ClusterView, cronJob: ObjectRecord, now: number): Decision[] {
  const { concurrencyPolicy, suspend, activeJobs = [], schedule } = cronJob.facts ?? {};
  if (concurrencyPolicy !== 'Replace' || suspend || isBeingDeleted(cronJob)) return [];
  const own = new Set(jobsOf(view, cronJob));
  return activeJobs.flatMap(({ name }) => {
    const job = view.at('jobs.batch', cronJob.namespace, name);
    const hasFinished = job && finishedCondition(job);
    if (!job || (hasFinished && own.has(job))) return [];
    const end = hasFinished ? 'though it has finished' : 'unless it has finished by then';
    return [
      deletion(cronJobHistory.id, job, {
        notBefore: now,
        notAfter: undefined,
        options: { propagationPolicy: 'Background' },
        confidence: 'likely',
        because: `CronJob ${cronJob.name} replaces it at its next run (${schedule}), ${end}`,
        rule: 'CJ-8',
      }),
    ];
  });
}

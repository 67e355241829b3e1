import {
  container,
  controlledBy,
  type Draw,
  hold,
  hour,
  type Loose,
  minute,
  namespaces,
  second,
  times,
} from './draw.ts';

const template = { spec: { containers: [container], restartPolicy: 'Never' } };

/** CronJobs with their histories, and Jobs finished long ago, just now or not at all. */
export function jobs(draw: Draw): Loose[] {
  const cronJobs = times(6, (index) => cronJob(draw, index));
  const all = times(draw.between(40, 60), (index) => {
    const owner = draw.chance(0.6) ? draw.one(cronJobs) : undefined;
    return job(draw, index, owner);
  });
  return [...cronJobs, ...all];
}

function cronJob({ seed, chance, between }: Draw, index: number): Loose {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: `cron-${index}`, namespace: 'clean-a', uid: `cron-${seed}-${index}` },
    spec: {
      schedule: chance(0.8) ? '0 0 1 1 *' : 'never',
      suspend: chance(0.5),
      concurrencyPolicy: 'Allow',
      ...(chance(0.8) && { successfulJobsHistoryLimit: between(0, 3) }),
      ...(chance(0.8) && { failedJobsHistoryLimit: between(0, 2) }),
      jobTemplate: { spec: { template } },
    },
  };
}

function job(draw: Draw, index: number, cronJob: Loose | undefined): Loose {
  const { chance, one, between, ago, seed } = draw;
  const finishedAgo = one([3 * hour, hour, hour, 5 * second, -30 * second]);
  // An earlier CronJob of the same name, or another controller: only the name counts (CJ-2).
  const owner = cronJob && chance(0.15) ? another(cronJob, seed) : cronJob;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `job-${index}`,
      namespace: cronJob ? 'clean-a' : one(namespaces),
      creationTimestamp: ago(50 * hour),
      ...(owner && { ownerReferences: controlledBy(owner) }),
      ...(chance(0.15) && { finalizers: [hold] }),
      ...(chance(0.1) && {
        finalizers: [hold],
        deletionTimestamp: ago(minute),
        deletionGracePeriodSeconds: 0,
      }),
    },
    spec: {
      manualSelector: true,
      selector: { matchLabels: { job: `${index}` } },
      template: { metadata: { labels: { job: `${index}` } }, ...template },
      ...(chance(cronJob ? 0.1 : 0.8) && {
        ttlSecondsAfterFinished: one([0, 10, 25, 3600 + 20, 3600 + 35, 4 * 3600]),
      }),
    },
    status: {
      ...(chance(0.9) && { startTime: ago(between(61, 80) * minute) }),
      conditions: times(between(1, 2), () => ({
        type: one(['Complete', 'Failed', 'Suspended', 'SuccessCriteriaMet', 'Complete']),
        status: chance(0.9) ? 'True' : 'False',
        ...(chance(0.95) && { lastTransitionTime: ago(finishedAgo) }),
      })),
    },
  };
}

/** One that has the name of `owner` and is somebody else. */
function another(owner: Loose, seed: number): Loose {
  const { name } = owner.metadata;
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, uid: `service-${seed}-${name}` } };
}

/** The other owners of Jobs, so that the garbage collector does not take them. */
export function ownersOfJobs({ seed }: Draw): Loose[] {
  return times(6, (index) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: `cron-${index}`,
      namespace: 'clean-a',
      uid: `service-${seed}-cron-${index}`,
    },
    spec: { clusterIP: 'None', type: 'ClusterIP', ports: [] },
  }));
}

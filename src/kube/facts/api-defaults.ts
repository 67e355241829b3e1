import type { ObjectRecord } from '../object-record.ts';

/** Values that the API server sets where a field is left out (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go). */
export const apiDefaults = {
  replicas: 1,
  revisionHistoryLimit: 10,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  backoffLimit: 6,
} as const;

/** spec.replicas of a workload. */
export function replicasOf({ facts }: ObjectRecord): number {
  return facts?.replicas ?? apiDefaults.replicas;
}

/** spec.revisionHistoryLimit of a workload. */
export function revisionHistoryLimitOf({ facts }: ObjectRecord): number {
  return facts?.revisionHistoryLimit ?? apiDefaults.revisionHistoryLimit;
}

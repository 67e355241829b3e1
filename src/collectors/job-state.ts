import type { Condition, ObjectRecord } from '../kube/object-record.ts';

/** The first condition Complete or Failed that is True says that a Job has finished (TTL-2, CJ-3). */
export function finishedCondition({ facts }: ObjectRecord): Condition | undefined {
  return facts?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

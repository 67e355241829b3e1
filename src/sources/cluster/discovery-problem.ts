import type { FailedGroupVersion } from '../../kube/resource-types.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';

/** A group version whose kinds nobody knows, as a gap in what was seen. */
export function discoveryProblem(failure: FailedGroupVersion): CoverageProblem {
  const { group, version, message } = failure;
  const apiVersion = group === '' ? version : version === undefined ? group : `${group}/${version}`;
  return {
    reason: 'discovery-failed',
    message,
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

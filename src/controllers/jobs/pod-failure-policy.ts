import type { ContainerStatus } from '../../kube/facts/pod.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';

type FailurePolicyRule = NonNullable<ObjectFacts['podFailureRules']>[number];

/** What a podFailurePolicy does with a failed Pod: without a rule that matches, it counts. */
type FailureAction = 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';

const all: readonly FailureAction[] = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

/**
 * What a Job's podFailurePolicy may do with a Pod: one action once it has failed, and several while its containers may end with
 * any exit code. Mirrors matchPodFailurePolicy, pkg/controller/job/pod_failure_policy.go (JOB-5).
 */
export function actionsFor({ facts }: ObjectRecord, pod: ObjectRecord): readonly FailureAction[] {
  if (!facts || (facts.podFailurePolicy && !facts.podFailureRules)) return all;
  const found = new Set<FailureAction>();
  for (const { action, ...rule } of facts.podFailureRules ?? []) {
    const match = matchOf(rule, pod);
    const isKnown = all.find((one) => one === action);
    if (match === 'no' || !isKnown) continue;
    found.add(isKnown);
    if (match === 'yes') return [...found];
  }
  return [...found, 'Count'];
}

type Match = 'yes' | 'no' | 'open';

function matchOf(
  { onExitCodes, onPodConditions = [] }: FailurePolicyRule,
  { facts }: ObjectRecord,
): Match {
  if (!facts) return 'open';
  if (onExitCodes) {
    if (facts.phase !== 'Failed') return 'open';
    const { containerStatuses = [], initContainerStatuses = [] } = facts;
    const statuses: readonly ContainerStatus[] = [...containerStatuses, ...initContainerStatuses];
    const { containerName, operator, values = [] } = onExitCodes;
    const isMatch = statuses.some(({ name, exitCode = 0 }) => {
      if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
      return operator === (values.includes(exitCode) ? 'In' : 'NotIn');
    });
    return isMatch ? 'yes' : 'no';
  }
  const isMatch = onPodConditions.some(({ type, status = 'True' }) =>
    facts.conditions?.some((one) => one.type === type && one.status === status),
  );
  return isMatch ? 'yes' : 'no';
}

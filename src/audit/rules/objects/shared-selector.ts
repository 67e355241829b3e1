import { isEmptySelector, type LabelSelector } from '../../../kube/label-selector.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { inNamespace, shellCommand } from '../../../kube/shell-command.ts';
import type { AuditRule } from '../audit-rule.ts';

const workloads = [
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicationcontrollers',
];

export const sharedSelector: AuditRule = {
  id: 'shared-selector',
  title: 'Workloads of a namespace with the same selector',
  severity: 'warning',
  consequence:
    'what one of them leaves behind when it is deleted with --cascade=orphan is adopted by another, and scaled away',
  advice:
    'A selector cannot be changed. Recreate all but one of them with a label of its own in the selector and the template.',
  subjects: workloads,
  readsFacts: true,
  check({ of }) {
    const all = workloads.flatMap((resource) => of(resource)).filter(selectsByItself);
    const groups = Map.groupBy(all, keyOf);
    return [...groups.values()].flatMap((group) =>
      group.length < 2
        ? []
        : group.map((object) => {
            const others = group.filter((other) => other !== object);
            const labels = labelsOf(object.facts?.selector);
            return {
              object,
              message: `its selector ${labels || 'with expressions'} is also that of ${others.map(({ type, name }) => `${type.kind} ${name}`).join(', ')}`,
              related: others,
              fix: {
                summary:
                  'give each a selector of its own: it cannot be changed, so that all but one have to be recreated',
                command: shellCommand`kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods ${inNamespace(object)} ${labels === '' ? [] : ['-l', labels]} --show-labels`,
              },
            };
          }),
    );
  },
};

/** A ReplicaSet of a Deployment has the Deployment's selector and a hash. */
function selectsByItself({ ownerReferences, facts, deletionTimestamp }: ObjectRecord): boolean {
  return (
    !ownerReferences.some(({ controller }) => controller === true) &&
    deletionTimestamp === undefined &&
    !isEmptySelector(facts?.selector)
  );
}

/** Equal for equal selectors of one namespace, however they are written. */
function keyOf({ namespace, facts }: ObjectRecord): string {
  const { matchLabels = {}, matchExpressions = [] } = facts?.selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => [key, 'In', [value]] as const);
  const others = matchExpressions.map(
    ({ key, operator, values = [] }) => [key, operator, values.toSorted()] as const,
  );
  return JSON.stringify([
    namespace,
    [...labels, ...others].map((one) => JSON.stringify(one)).sort(),
  ]);
}

function labelsOf(selector: LabelSelector | undefined): string {
  const { matchLabels = {} } = selector ?? {};
  return Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

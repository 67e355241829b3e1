import { addressOf, inNamespace, shellCommand } from '../../command-line/shell-command.ts';
import { hashLabel, isLeftByDeployment } from '../../controllers/left-without-reference.ts';
import { isEmptySelector, type LabelSelector, workloadSelects } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { eachOf, type Rule, type RuleInput, wasRead } from '../rule.ts';

export const orphanedReplicaSet: Rule = {
  id: 'orphaned-replicaset',
  title: 'A ReplicaSet that its Deployment left behind',
  severity: 'warning',
  consequence:
    'never collected: no revisionHistoryLimit counts it, and no rollout replaces its pods',
  advice:
    'Delete it; that also deletes its Pods. To keep the Pods, recreate the Deployment with the same selector: it adopts the ReplicaSet.',
  ...eachOf('replicasets.apps', (set, view) => {
    if (!isLeftByDeployment(set) || !wasRead(view, set, 'deployments.apps')) return undefined;
    if (adopterOf(view, set) || !areSelectorsRead(view, set)) return undefined;
    const { replicas = 1, statusReplicas = 0 } = set.facts ?? {};
    const runs = replicas > 0 || statusReplicas > 0;
    return {
      object: set,
      severity: runs ? 'warning' : 'info',
      message: `it has the label ${hashLabel} of a Deployment, but no controller; ${runs ? `replicas wanted: ${replicas}, there: ${statusReplicas}` : 'it has no pods'}`,
      fix: {
        summary: runs
          ? 'delete it with its pods when nothing needs them; a Deployment with its selector and template would adopt it'
          : 'delete it',
        command: shellCommand`kubectl delete ${addressOf(set)}`,
      },
    };
  }),
};

/** Any Deployment of which only metadata was read may be about to adopt it. */
function areSelectorsRead({ cluster, cannotTell }: RuleInput, set: ObjectRecord): boolean {
  const deployments = cluster.in('deployments.apps', set.namespace);
  if (deployments.every(({ facts }) => facts !== undefined)) return true;
  cannotTell(set, 'only metadata of deployments.apps was read');
  return false;
}

/** The Deployment that is about to adopt it. */
function adopterOf(
  { cluster }: RuleInput,
  { namespace, labels }: ObjectRecord,
): ObjectRecord | undefined {
  return cluster
    .in('deployments.apps', namespace)
    .find(({ facts }) => workloadSelects(facts?.selector, labels));
}

const workloads = [
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicationcontrollers',
];

export const sharedSelector: Rule = {
  id: 'shared-selector',
  title: 'Workloads of a namespace with the same selector',
  severity: 'warning',
  consequence:
    'what one of them leaves behind when it is deleted with --cascade=orphan is adopted by another, and scaled away',
  advice:
    'A selector cannot be changed. Recreate all but one of them with a distinct label in the selector and the template.',
  subjects: workloads,
  readsFacts: true,
  check({ of }) {
    const all = workloads.flatMap((resource) => of(resource)).filter(selectsByItself);
    const isCapture = all.every(({ uid }) => uid !== '');
    const groups = Map.groupBy(all, (record) => selectorKey(record, isCapture));
    return [...groups.values()].flatMap((group) =>
      group.every((object) => isSameName(object, group[0]))
        ? []
        : group.map((object) => {
            const others = group.filter((other) => !isSameName(other, object));
            const labels = labelsOf(object.facts?.selector);
            return {
              object,
              message: `its selector ${labels || 'with expressions'} is also that of ${others.map(({ type, name }) => `${type.kind} ${name}`).join(', ')}`,
              related: others,
              fix: {
                summary:
                  'give each a distinct selector; selectors cannot be changed, so recreate all but one',
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

/** Manifests of one object are never applied together. */
function isSameName(one: ObjectRecord, other: ObjectRecord | undefined): boolean {
  return one.type === other?.type && one.name === other.name;
}

/**
 * What was never applied is applied together with what lies in the same folder. Objects of a cluster are of one cluster
 * where nothing else was read; among manifests, as in the tests of a repository, they are captures of any.
 */
function setOf({ place }: ObjectRecord, isCapture: boolean): string {
  if (!place || isCapture) return '';
  const { path } = place;
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Equal for equal selectors of one namespace that are applied together, however they are written. */
function selectorKey(record: ObjectRecord, isCapture: boolean): string {
  const { namespace, facts } = record;
  const { matchLabels = {}, matchExpressions = [] } = facts?.selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => [key, 'In', [value]] as const);
  const others = matchExpressions.map(
    ({ key, operator, values = [] }) => [key, operator, values.toSorted()] as const,
  );
  return JSON.stringify([
    namespace,
    setOf(record, isCapture),
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

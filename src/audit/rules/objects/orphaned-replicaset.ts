import { workloadSelects } from '../../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, type AuditView, wasRead } from '../audit-rule.ts';

/** Only a Deployment gives it to the ReplicaSets that it makes. */
const hashLabel = 'pod-template-hash';

export const orphanedReplicaSet: AuditRule = {
  id: 'orphaned-replicaset',
  title: 'A ReplicaSet that its Deployment left behind',
  severity: 'warning',
  consequence:
    'never collected: no revisionHistoryLimit counts it, and no rollout replaces its pods',
  advice:
    'Delete it, and its pods go with it. To keep the pods, make the Deployment again with the same selector: it adopts the ReplicaSet.',
  subjects: ['replicasets.apps'],
  readsFacts: true,
  check: (view) =>
    view
      .of('replicasets.apps')
      .filter(
        (set) =>
          isLeft(set) &&
          wasRead(view, set, 'deployments.apps') &&
          !adopterOf(view, set) &&
          areSelectorsRead(view, set),
      )
      .map((set) => {
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

/** One with any owner is the garbage collector's. */
function isLeft(set: ObjectRecord): boolean {
  return (
    set.uid !== '' &&
    set.labels?.[hashLabel] !== undefined &&
    set.ownerReferences.length === 0 &&
    !isBeingDeleted(set)
  );
}

/** Any Deployment of which only metadata was read may be about to adopt it. */
function areSelectorsRead({ cluster, cannotTell }: AuditView, set: ObjectRecord): boolean {
  const deployments = cluster.in('deployments.apps', set.namespace);
  if (deployments.every(({ facts }) => facts !== undefined)) return true;
  cannotTell(set, 'only metadata of deployments.apps was read');
  return false;
}

/** The Deployment that is about to adopt it. */
function adopterOf(
  { cluster }: AuditView,
  { namespace, labels }: ObjectRecord,
): ObjectRecord | undefined {
  return cluster
    .in('deployments.apps', namespace)
    .find(({ facts }) => workloadSelects(facts?.selector, labels));
}

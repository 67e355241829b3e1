import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { knownClaimsOf, notRead, volumesOf } from '../../../kube/pod-use.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, type AuditView, wasRead } from '../audit-rule.ts';

const claims = 'persistentvolumeclaims';
const needed = ['statefulsets.apps', 'pods'];
/** `<template>-<set>-<ordinal>` */
const ofSet = /^.+-.+-\d+$/;
/** `<deployment>-<hash>-<random>-<volume>`, with the letters that Kubernetes draws names from. */
const ofPod = /^.+-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}-.+$/;

export const orphanedClaim: AuditRule = {
  id: 'orphaned-claim',
  title: 'A claim that a StatefulSet or a pod left behind',
  severity: 'info',
  consequence:
    'never collected: without an owner the claim stays, and its volume is kept and paid for',
  advice:
    'See who made it, and delete it when its data is not needed. Set spec.persistentVolumeClaimRetentionPolicy in sets whose data may go with them.',
  subjects: [claims],
  readsFacts: true,
  check(view) {
    const mounts = mountsIn(view.cluster);
    return view.of(claims).flatMap((claim) => {
      if (claim.ownerReferences.length > 0 || isBeingDeleted(claim) || claim.uid === '') return [];
      if (claim.facts?.phase !== 'Bound' || isApplied(claim)) return [];
      if (mounts.mounted.has(`${claim.namespace}/${claim.name}`)) return [];
      const because = becauseOf(view, claim);
      if (because === undefined) return [];
      if (!needed.every((resource) => wasRead(view, claim, resource))) return [];
      if (mounts.unread.has(claim.namespace)) {
        view.cannotTell(claim, 'only metadata of pods was read');
        return [];
      }
      return [
        {
          object: claim,
          confidence: 'likely',
          message: `${because}; no pod mounts it, and nothing owns it`,
          fix: {
            summary: 'find out who made it, and delete it when its data is not needed any more',
            command: shellCommand`kubectl describe ${addressOf(claim)}`,
          },
        },
      ];
    });
  },
};

/** `shop/data-db-0` of the claims that pods mount, and the namespaces where a pod may mount any. */
function mountsIn(cluster: AuditView['cluster']) {
  const mounted = new Set<string>();
  const unread = new Set<string>();
  for (const pod of cluster.all('pods')) {
    if (volumesOf(pod) === notRead) unread.add(pod.namespace);
    for (const claim of knownClaimsOf(pod)) mounted.add(`${pod.namespace}/${claim}`);
  }
  return { mounted, unread };
}

/** Claims made by controllers are not among what Helm or Argo applied. */
function isApplied({ annotations = {} }: ObjectRecord): boolean {
  return ['meta.helm.sh/release-name', 'argocd.argoproj.io/tracking-id'].some(
    (key) => annotations[key] !== undefined,
  );
}

function becauseOf({ cluster }: AuditView, claim: ObjectRecord): string | undefined {
  const { name, namespace, labels = {} } = claim;
  // A StatefulSet labels its claims with its selector, which is never empty.
  if (ofSet.test(name) && Object.keys(labels).length > 0) {
    const sets = cluster.in('statefulsets.apps', namespace);
    const isKept = sets.some((set) => {
      const templates = set.facts?.volumeClaimTemplates;
      const rest = new RegExp(`^(.+)-${set.name.replaceAll('.', '\\.')}-\\d+$`).exec(name)?.[1];
      return rest !== undefined && (templates === undefined || templates.includes(rest));
    });
    return isKept ? undefined : 'it is named as the claim of a StatefulSet, and no such set exists';
  }
  if (!ofPod.test(name)) return undefined;
  const pods = cluster.in('pods', namespace);
  const lives = pods.some((pod) => name.startsWith(`${pod.name}-`));
  return lives ? undefined : "it is named as a pod's ephemeral volume, and no such pod exists";
}

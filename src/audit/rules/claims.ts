import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import { decideAll } from '../../controllers/decision.ts';
import { claimNamesOf, claimOrdinalOf } from '../../controllers/workloads/statefulset-pods.ts';
import { statefulSetPvcRetention } from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { persistentVolumeClaims } from '../../kube/well-known-kinds.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
import { type Rule, type RuleInput, type Violation, wasRead } from '../rule.ts';

const needed = ['statefulsets.apps', 'pods'];
/** With the letters that Kubernetes draws names from. */
const hash = /^[bcdfghjklmnpqrstvwxz2456789]{8,10}$/;
const random = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

export const orphanedClaim: Rule = {
  id: 'orphaned-claim',
  title: 'A claim that a StatefulSet or a pod left behind',
  severity: 'info',
  consequence:
    'never collected: without an owner the claim stays, and its volume is kept and paid for',
  advice:
    'See who made it, and delete it when its data is not needed. Set `spec.persistentVolumeClaimRetentionPolicy` in sets whose data may be deleted with them.',
  subjects: [persistentVolumeClaims],
  readsFacts: true,
  check(view) {
    const mounts = mountsIn(view.cluster);
    return view.of(persistentVolumeClaims).flatMap((claim) => {
      if (claim.ownerReferences.length > 0 || isBeingDeleted(claim) || claim.uid === '') return [];
      if (claim.facts?.phase !== 'Bound' || isApplied(claim)) return [];
      if (mounts.mounted.has(`${claim.namespace}/${claim.name}`)) return [];
      const because = keptBecause(view, claim);
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
function mountsIn(cluster: RuleInput['cluster']) {
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

function keptBecause({ cluster }: RuleInput, claim: ObjectRecord): string | undefined {
  const { name, namespace, labels = {} } = claim;
  // A StatefulSet labels its claims with its selector, which is never empty.
  const ofSet = baseOfSetClaim(name);
  if (ofSet !== undefined && Object.keys(labels).length > 0) {
    const sets = cluster.in('statefulsets.apps', namespace);
    const isKept = sets.some((set) => {
      const templates = set.facts?.volumeClaimTemplates;
      const template = ofSet.slice(0, -set.name.length - 1);
      const isNamedFor = template !== '' && ofSet === `${template}-${set.name}`;
      return isNamedFor && (templates === undefined || claimNamesOf(set).includes(ofSet));
    });
    return isKept ? undefined : 'it is named as the claim of a StatefulSet, and no such set exists';
  }
  if (!isNamedForPod(name)) return undefined;
  const pods = cluster.in('pods', namespace);
  const lives = pods.some((pod) => name.startsWith(`${pod.name}-`));
  return lives ? undefined : "it is named as a pod's ephemeral volume, and no such pod exists";
}

/** `<template>-<set>` of a claim that is called `<template>-<set>-<ordinal>`. */
function baseOfSetClaim(name: string): string | undefined {
  const at = name.lastIndexOf('-');
  const base = name.slice(0, Math.max(at, 0));
  const dash = base.indexOf('-', 1);
  const hasTwo = dash > 0 && dash < base.length - 1;
  return hasTwo && /^\d+$/.test(name.slice(at + 1)) ? base : undefined;
}

/** Is it `<deployment>-<hash>-<random>-<volume>`? */
function isNamedForPod(name: string): boolean {
  const parts = name.split('-');
  return parts.some(
    (part, at) =>
      at > 0 && at < parts.length - 2 && hash.test(part) && random.test(parts[at + 1] ?? ''),
  );
}

export const claimRetentionMismatch: Rule = {
  id: 'claim-retention-mismatch',
  title: "A StatefulSet's claim whose owners are not what the retention policy says",
  severity: 'warning',
  consequence: 'the claim goes or stays by its owners, not by the policy',
  advice:
    'If the controller would repair it, find out what prevents that. Delete claims that it never touches manually.',
  subjects: ['statefulsets.apps'],
  readsFacts: true,
  check(view) {
    const { of, cluster, settings, now } = view;
    const runs = enabledControllers(settings.controllers, '')('statefulset-controller');
    const pending = new Map(
      decideAll(statefulSetPvcRetention, cluster, settings, now).map(({ object, because }) => [
        object,
        because,
      ]),
    );
    const sets = of('statefulsets.apps').filter(
      (set) => !isBeingDeleted(set) && set.uid !== '' && isRead(view, set),
    );
    return sets.flatMap((set) =>
      numberedClaims(view, set).flatMap(({ claim, ordinal }): Violation[] => {
        const because = pending.get(claim);
        const message = because ?? whyNever(view, set, claim, ordinal);
        if (message === undefined) return [];
        const mismatch = { object: claim, message, related: [set] };
        if (because === undefined) {
          const consequence = 'never collected: the claim stays when the set is deleted';
          return [{ ...mismatch, consequence, fix: unneeded(claim) }];
        }
        const consequence = runs
          ? 'the claim goes or stays by its owners; the statefulset controller puts them right when it next looks at the set'
          : 'the claim goes or stays by its owners: statefulset-controller is switched off';
        return [{ ...mismatch, consequence, fix: describe(set) }];
      }),
    );
  },
};

function isRead(view: RuleInput, set: ObjectRecord): boolean {
  const hasClaims = (set.facts?.volumeClaimTemplates ?? []).length > 0;
  return (
    hasClaims && [persistentVolumeClaims, 'pods'].every((resource) => wasRead(view, set, resource))
  );
}

/** Claims that the controller never gives an owner, although the policy says Delete (STS-4, STS-5). */
function whyNever(
  { cluster }: RuleInput,
  set: ObjectRecord,
  claim: ObjectRecord,
  ordinal: number,
): string | undefined {
  const { persistentVolumeClaimRetentionPolicy, firstOrdinal = 0, replicas = 1 } = set.facts ?? {};
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } =
    persistentVolumeClaimRetentionPolicy ?? {};
  const isBeyond = ordinal < firstOrdinal || ordinal >= firstOrdinal + replicas;
  const policy = `whenScaled ${whenScaled} and whenDeleted ${whenDeleted}`;
  const deletes = whenDeleted === 'Delete' || (whenScaled === 'Delete' && isBeyond);
  if (!deletes || isBeingDeleted(claim)) return undefined;
  const controller = controllerOf(claim);
  const pod = cluster.at('pods', set.namespace, `${set.name}-${ordinal}`);
  if (controller && controller.uid !== set.uid && controller.uid !== pod?.uid) {
    // A reference to an earlier StatefulSet or Pod is a wrong reference, which other rules report.
    if (['StatefulSet', 'Pod'].includes(controller.kind)) return undefined;
    return `StatefulSet ${set.name} has ${policy}, but the claim is controlled by ${controller.kind} ${controller.name}`;
  }
  if (claim.ownerReferences.length > 0 || !isBeyond || pod) return undefined;
  return `StatefulSet ${set.name} has ${policy}, but the claim has no owner: its pod was gone before the policy said so`;
}

interface NumberedClaim {
  readonly claim: ObjectRecord;
  readonly ordinal: number;
}

/** Claims that are named as those of a set, whatever its replicas. */
function numberedClaims({ cluster }: RuleInput, set: ObjectRecord): NumberedClaim[] {
  return cluster.in(persistentVolumeClaims, set.namespace).flatMap((claim) => {
    const ordinal = claimOrdinalOf(set, claim);
    return ordinal >= 0 ? [{ claim, ordinal }] : [];
  });
}

function unneeded(claim: ObjectRecord): Violation['fix'] {
  return {
    summary: 'delete the claim when its data is not needed any more',
    command: shellCommand`kubectl delete ${addressOf(claim)}`,
  };
}

function describe(set: ObjectRecord): Violation['fix'] {
  return {
    summary: 'see in the events of the set what keeps its controller from it',
    command: shellCommand`kubectl describe ${addressOf(set)}`,
  };
}

import { controllerOf } from '../../../controllers/decision.ts';
import { enabledControllers } from '../../../controllers/settings/enabled-controllers.ts';
import { statefulSetPvcRetention } from '../../../controllers/workloads/statefulset-pvc-retention.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, type AuditView, type AuditViolation, wasRead } from '../audit-rule.ts';

const claims = 'persistentvolumeclaims';

export const claimRetentionMismatch: AuditRule = {
  id: 'claim-retention-mismatch',
  title: "A StatefulSet's claim whose owners are not what the retention policy says",
  severity: 'warning',
  consequence: 'the claim goes or stays by its owners, not by the policy',
  advice:
    'Where the controller would put it right, see what keeps it from that. Claims that it never touches are to be deleted by hand.',
  subjects: ['statefulsets.apps'],
  readsFacts: true,
  check(view) {
    const { of, cluster, settings, now } = view;
    const runs = enabledControllers(settings.controllers, '')('statefulset-controller');
    const pending = new Map(
      statefulSetPvcRetention
        .decide(cluster, settings, now)
        .map(({ object, because }) => [object, because]),
    );
    return of('statefulsets.apps').flatMap((set) =>
      isBeingDeleted(set) || set.uid === '' || !isRead(view, set)
        ? []
        : claimsOf(view, set).flatMap(({ claim, ordinal }): AuditViolation[] => {
            const because = pending.get(claim);
            if (because !== undefined) {
              return [
                {
                  object: claim,
                  message: because,
                  related: [set],
                  consequence: runs
                    ? 'the claim goes or stays by its owners; the statefulset controller puts them right when it next looks at the set'
                    : 'the claim goes or stays by its owners: statefulset-controller is switched off',
                  fix: describe(set),
                },
              ];
            }
            const why = whyNever(view, set, claim, ordinal);
            return why === undefined
              ? []
              : [
                  {
                    object: claim,
                    message: why,
                    related: [set],
                    consequence: 'never collected: the claim stays when the set is deleted',
                    fix: {
                      summary: 'delete the claim when its data is not needed any more',
                      command: shellCommand`kubectl delete ${addressOf(claim)}`,
                    },
                  },
                ];
          }),
    );
  },
};

function isRead(view: AuditView, set: ObjectRecord): boolean {
  const hasClaims = (set.facts?.volumeClaimTemplates ?? []).length > 0;
  return hasClaims && [claims, 'pods'].every((resource) => wasRead(view, set, resource));
}

/** Claims that the controller never gives an owner, although the policy says Delete (STS-4, STS-5). */
function whyNever(
  { cluster }: AuditView,
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
    // One of an earlier set or pod is a wrong reference, which other rules tell of.
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
function claimsOf({ cluster }: AuditView, set: ObjectRecord): NumberedClaim[] {
  const prefixes = (set.facts?.volumeClaimTemplates ?? []).map((name) => `${name}-${set.name}-`);
  if (prefixes.length === 0) return [];
  return cluster.in(claims, set.namespace).flatMap((claim) => {
    const prefix = prefixes.find((one) => claim.name.startsWith(one));
    const rest = prefix === undefined ? '' : claim.name.slice(prefix.length);
    return /^\d+$/.test(rest) ? [{ claim, ordinal: Number(rest) }] : [];
  });
}

function describe(set: ObjectRecord): AuditViolation['fix'] {
  return {
    summary: 'see in the events of the set what keeps its controller from it',
    command: shellCommand`kubectl describe ${addressOf(set)}`,
  };
}

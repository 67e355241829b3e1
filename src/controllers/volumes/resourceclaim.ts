import type { ClaimConsumer } from '../../kube/facts/storage.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { isPod, isPodTerminal, resourceClaims } from '../../kube/well-known-kinds.ts';
import { type ClusterView, type IndexKind, ownName } from '../cluster-view.ts';
import type { Decision, SyncedController } from '../controller.ts';
import { deletion, nextSync, patching } from '../decision.ts';
import { claimsOf } from '../nodes/device-taint-eviction.ts';

const podGroups = 'podgroups.scheduling.k8s.io';
const protection = 'resource.kubernetes.io/delete-protection';

/** Frees devices that nothing uses, and deletes claims made for pods that are done (DRA-1 to DRA-4). */
export const resourceClaim: SyncedController = {
  id: 'resourceclaim',
  controllers: ['resourceclaim-controller'],
  reads: [resourceClaims, 'pods', podGroups],
  syncers: [
    {
      runsAs: 'resourceclaim-controller',
      syncs: resourceClaims,
      sync(claim, { view, settings, now, trigger }) {
        if (!claim.facts) return [];
        const decisions = decideOnClaim(view, claim, now, settings.DRAWorkloadResourceClaims);
        return trigger === undefined
          ? decisions
          : decisions.map((one) => withoutProtection(claim, one));
      },
      needsSync: ({ facts }) => facts !== undefined,
      // Of a Pod that was read, only the claims that it names are processed when it changes.
      affectedBy({ before, after }, { view }) {
        const user = after ?? before;
        if (!user || user.type.kind === 'ResourceClaim') return [];
        const { facts, namespace, name } = user;
        if (!isPod(user) || !facts) return view.index(claimsByUser).get(`${namespace}/${name}`);
        return claimsOf(user).map((claim) => view.at(resourceClaims, namespace, claim));
      },
      links: { [resourceClaims]: usersOf, pods: ownName, [podGroups]: ownName },
    },
  ],
};

const claimsByUser: IndexKind = { resource: resourceClaims, keysOf: usersOf };

/** The Pods and PodGroups that a claim is reserved for or was made for. */
function usersOf(claim: ObjectRecord): readonly string[] {
  const owner = controllerOf(claim);
  const users = (claim.facts?.reservedFor ?? []).map((user) => user.name);
  const all = owner?.kind === 'Pod' ? [...users, owner.name] : users;
  return [...new Set(all)].map((one) => `${claim.namespace}/${one}`);
}

function decideOnClaim(
  view: ClusterView,
  claim: ObjectRecord,
  now: number,
  countsGroups: boolean | undefined,
): Decision[] {
  const reserved = claim.facts?.reservedFor ?? [];
  // Up to v1.35 syncClaim fails at a consumer that is no pod, and does nothing for the claim.
  if (view.minor < 36 && !reserved.every(isPodConsumer)) return [];
  const left = reserved.filter((one) => !isDone(view, claim.namespace, one, countsGroups));
  const lost = reserved.filter((one) => !left.includes(one));
  const isOfGroups = lost.some(isPodGroup);
  // Whether the gate is on was not read, and a PodGroup loses nothing without it.
  const confidence = isOfGroups && countsGroups !== true ? 'likely' : 'certain';
  const decisions: Decision[] = [];
  if (lost.length > 0) {
    const gone = lost.map(({ name }) => name).join(', ');
    // A claim that was allocated without the finalizer is freed by its allocator.
    const isFreed = left.length === 0 && claim.finalizers.includes(protection);
    const freed = isFreed ? '; no consumer remains, so its devices are released' : '';
    decisions.push(
      patching(resourceClaim.id, claim, {
        ...nextSync(now),
        patch: {
          subresource: 'status',
          body: { status: { reservedFor: left, ...(isFreed && { allocation: null }) } },
        },
        because: `it is reserved for ${isOfGroups ? 'PodGroups or pods' : 'pods'} that were deleted or are done: ${gone}${freed}`,
        rule: isOfGroups ? 'DRA-4' : 'DRA-1',
        confidence,
      }),
    );
  }
  if (left.length > 0) return decisions;
  if (isBeingDeleted(claim)) {
    // syncClaim takes the finalizer, too.
    if (reserved.length > 0 || !claim.finalizers.includes(protection)) return decisions;
    const patch = { subresource: 'status' as const, body: { status: { allocation: null } } };
    const because = 'it is being deleted and no consumer remains, so its devices are released';
    return [patching(resourceClaim.id, claim, { ...nextSync(now), patch, because, rule: 'DRA-3' })];
  }
  // owningPod goes by the reference alone.
  const owner = controllerOf(claim);
  const isOfPod = owner?.kind === 'Pod' && owner.apiVersion === 'v1';
  if (!isOfPod) return decisions;
  const pod = view.at('pods', claim.namespace, owner.name);
  // If the pod is missing, the garbage collector deletes the claim.
  if (!pod || (pod.uid === owner.uid && !isFinished(pod))) return decisions;
  const why = pod.uid === owner.uid ? 'is done' : 'was replaced by another of that name';
  const because = `it was made for pod ${owner.name}, which ${why}`;
  return [
    ...decisions,
    deletion(resourceClaim.id, claim, { ...nextSync(now), because, rule: 'DRA-2', confidence }),
  ];
}

/** In a play: the update that removes the finalizer follows the update of the status immediately. */
function withoutProtection(claim: ObjectRecord, decision: Decision): Decision {
  const { patch } = decision;
  const status = patch?.body.status as { readonly allocation?: null } | undefined;
  if (!patch || status?.allocation !== null || !claim.finalizers.includes(protection)) {
    return decision;
  }
  const finalizers = claim.finalizers.filter((one) => one !== protection);
  return { ...decision, patch: { ...patch, body: { ...patch.body, metadata: { finalizers } } } };
}

function isPodGroup({ resource, apiGroup }: ClaimConsumer): boolean {
  return resource === 'podgroups' && apiGroup === 'scheduling.k8s.io';
}

function isDone(
  view: ClusterView,
  namespace: string,
  consumer: ClaimConsumer,
  countsGroups: boolean | undefined,
): boolean {
  const isGroup = isPodGroup(consumer);
  if (isGroup ? countsGroups === false : !isPodConsumer(consumer)) return false;
  const resource = isGroup ? podGroups : 'pods';
  const user = view.at(resource, namespace, consumer.name);
  if (!user) return view.covers(resource, namespace, consumer.name);
  return user.uid !== consumer.uid || (!isGroup && isFinished(user));
}

function isPodConsumer({ resource, apiGroup = '' }: ClaimConsumer): boolean {
  return resource === 'pods' && apiGroup === '';
}

function isFinished(pod: ObjectRecord): boolean {
  return isPodTerminal(pod) || (isBeingDeleted(pod) && nodeNameOf(pod) === '');
}

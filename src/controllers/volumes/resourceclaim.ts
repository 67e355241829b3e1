import type { ClaimConsumer } from '../../kube/facts/storage.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf } from '../../kube/pod-use.ts';
import { isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Controller, Decision } from '../controller.ts';
import { controllerOf, deletion, nextSync, patching } from '../decision.ts';

const id = 'resourceclaim';
const claims = 'resourceclaims.resource.k8s.io';
const protection = 'resource.kubernetes.io/delete-protection';

/** Frees devices that no pod uses, and deletes claims made for pods that are done (DRA-1 to DRA-3). */
export const resourceClaim: Controller = {
  id,
  controllers: ['resourceclaim-controller'],
  reads: [claims, 'pods'],
  decide: (view, _settings, now) =>
    view
      .all(claims)
      .filter(({ facts }) => facts !== undefined)
      .flatMap((claim) => decideOn(view, claim, now)),
};

function decideOn(view: ClusterView, claim: ObjectRecord, now: number): Decision[] {
  const reserved = claim.facts?.reservedFor ?? [];
  // Up to v1.35 syncClaim fails at a consumer that is no pod, and does nothing for the claim.
  if (view.minor < 36 && !reserved.every(isPodConsumer)) return [];
  const left = reserved.filter((consumer) => !isDone(view, claim.namespace, consumer));
  const decisions: Decision[] = [];
  if (left.length < reserved.length) {
    const gone = reserved.filter((one) => !left.includes(one)).map(({ name }) => name);
    // A claim that was allocated without the finalizer is freed by its allocator.
    const isFreed = left.length === 0 && claim.finalizers.includes(protection);
    const freed = isFreed ? '; no consumer is left, so what it holds is freed' : '';
    decisions.push(
      patching(id, claim, {
        ...nextSync(now),
        patch: {
          subresource: 'status',
          body: { status: { reservedFor: left, ...(isFreed && { allocation: null }) } },
        },
        because: `it is reserved for pods that are gone or done: ${gone.join(', ')}${freed}`,
        rule: 'DRA-1',
      }),
    );
  }
  if (left.length > 0) return decisions;
  if (isBeingDeleted(claim)) {
    // syncClaim takes the finalizer, too.
    if (reserved.length > 0 || !claim.finalizers.includes(protection)) return decisions;
    const patch = { subresource: 'status' as const, body: { status: { allocation: null } } };
    const because = 'it is being deleted and no consumer is left, so what it holds is freed';
    return [patching(id, claim, { ...nextSync(now), patch, because, rule: 'DRA-3' })];
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
  return [...decisions, deletion(id, claim, { ...nextSync(now), because, rule: 'DRA-2' })];
}

function isDone(view: ClusterView, namespace: string, consumer: ClaimConsumer): boolean {
  if (!isPodConsumer(consumer)) return false;
  const pod = view.at('pods', namespace, consumer.name);
  if (!pod) return view.covers('pods', namespace, consumer.name);
  return pod.uid !== consumer.uid || isFinished(pod);
}

function isPodConsumer({ resource, apiGroup = '' }: ClaimConsumer): boolean {
  return resource === 'pods' && apiGroup === '';
}

function isFinished(pod: ObjectRecord): boolean {
  return isPodTerminal(pod) || (isBeingDeleted(pod) && nodeNameOf(pod) === '');
}

import type { Decision } from '../../controllers/controller.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { claimsOf, deviceTaintEviction } from '../../controllers/nodes/device-taint-eviction.ts';
import { claims, protection, resourceClaim } from '../../controllers/volumes/resourceclaim.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type IndexKind, ownName } from './indexes.ts';
import { affectedByName, type KeyedController, keyed } from './keyed-controller.ts';

const slices = 'resourceslices.resource.k8s.io';
const taintRules = 'devicetaintrules.resource.k8s.io';
const claimsByUser: IndexKind = { resource: claims, keysOf: usersOf };

/** Devices are freed, and claims that were created for Pods are deleted, when their user is done (DRA-1 to DRA-4). */
const byClaim = keyed(resourceClaim, {
  concerns: ({ facts }) => facts !== undefined,
  // Of a pod that was read, only the claims that it names are looked at when it changes.
  affected: ({ before, after }, { state, indexes }) => {
    const user = after ?? before;
    if (!user || user.type.kind === 'ResourceClaim') return [];
    const { facts, namespace, name } = user;
    if (!isPod(user) || !facts) return indexes.of(claimsByUser).get(`${namespace}/${name}`);
    return claimsOf(user).map((claim) => state.at(claims, namespace, claim));
  },
  links: { [claims]: usersOf, pods: ownName, 'podgroups.scheduling.k8s.io': ownName },
});

export const resourceClaims: KeyedController = {
  ...byClaim,
  decide: (claim, ...by) =>
    byClaim.decide(claim, ...by).map((decision) => withoutProtection(claim, decision)),
};

/** What frees a claim also removes its protection. */
function withoutProtection(claim: ObjectRecord, decision: Decision): Decision {
  const { patch } = decision;
  const status = patch?.body.status as { readonly allocation?: null } | undefined;
  if (!patch || status?.allocation !== null || !claim.finalizers.includes(protection)) {
    return decision;
  }
  const finalizers = claim.finalizers.filter((one) => one !== protection);
  return { ...decision, patch: { ...patch, body: { ...patch.body, metadata: { finalizers } } } };
}

/** The pods and PodGroups that a claim is reserved for or was made for. */
function usersOf(claim: ObjectRecord): readonly string[] {
  const owner = controllerOf(claim);
  const users = (claim.facts?.reservedFor ?? []).map((user) => user.name);
  const all = owner?.kind === 'Pod' ? [...users, owner.name] : users;
  return [...new Set(all)].map((one) => `${claim.namespace}/${one}`);
}

const podsWithClaims: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (claimsOf(pod).length > 0 ? ['any', ...namesOfClaims(pod)] : []),
};

/** Evicts pods from tainted devices (DEV-1 to DEV-3). */
export const deviceTaints = keyed(deviceTaintEviction, {
  present: ({ indexes }) => indexes.of(podsWithClaims).get('any'),
  concerns: (pod) => !isBeingDeleted(pod) && claimsOf(pod).length > 0,
  affected: affectedByName(podsWithClaims, {
    [claims]: ownName,
    [slices]: () => ['any'],
    [taintRules]: () => ['any'],
  }),
  // Rules may select devices of any pool.
  links: {
    pods: namesOfClaims,
    [claims]: (claim) =>
      claim.facts?.devices ? [...ownName(claim), 'rules', ...claim.facts.devices.map(poolOf)] : [],
    [slices]: ({ facts }) => (facts?.devicePool ? [poolOf(facts.devicePool)] : []),
    [taintRules]: () => ['rules'],
  },
});

function namesOfClaims(pod: ObjectRecord): readonly string[] {
  return claimsOf(pod).map((name) => `${pod.namespace}/${name}`);
}

function poolOf({ driver, pool }: { readonly driver: string; readonly pool: string }): string {
  return `pool ${driver} ${pool}`;
}

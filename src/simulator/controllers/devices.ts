import type { Decision } from '../../controllers/controller.ts';
import { controllerOf } from '../../controllers/decision.ts';
import {
  claimsOf,
  deviceEviction,
  deviceTaintEviction,
} from '../../controllers/nodes/device-taint-eviction.ts';
import { claims, protection, resourceClaim } from '../../controllers/volumes/resourceclaim.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { IndexKind } from './indexes.ts';
import { affectedByName, decidedBy, keyed } from './keyed-controller.ts';

const claimsByUser: IndexKind = { resource: claims, keysOf: linksOfClaims };

/** Devices are freed, and claims made for pods go, when what uses them is done (DRA-1 to DRA-4). */
export const resourceClaims = keyed(resourceClaim, {
  kinds: [claims],
  concerns: ({ facts }) => facts !== undefined,
  // Of a pod that was read, only the claims that it names are looked at when it changes.
  affected: ({ before, after }, { state, indexes }) => {
    const user = after ?? before;
    if (!user || user.type.kind === 'ResourceClaim') return [];
    const { facts, namespace, name } = user;
    if (!isPod(user) || !facts) return indexes.of(claimsByUser).get(`${namespace}/${name}`);
    return claimsOf(user).map((claim) => state.at(claims, namespace, claim));
  },
  decide: (claim, ...args) =>
    decidedBy(resourceClaim)(claim, ...args).map((decision) => withoutProtection(claim, decision)),
  linksOf: linksOfClaims,
});

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

/** A claim, and the pods and PodGroups that it is reserved for or was made for. */
function linksOfClaims(record: ObjectRecord): readonly string[] {
  const { type, namespace, name, facts } = record;
  if (isPod(record) || type.kind === 'PodGroup') return [`${namespace}/${name}`];
  if (type.kind !== 'ResourceClaim') return [];
  const owner = controllerOf(record);
  const users = (facts?.reservedFor ?? []).map((user) => user.name);
  const all = owner?.kind === 'Pod' ? [...users, owner.name] : users;
  return [...new Set(all)].map((one) => `${namespace}/${one}`);
}

const podsWithClaims: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (claimsOf(pod).length > 0 ? ['any', ...namesOfClaims(pod)] : []),
};

/** Evicts pods from tainted devices (DEV-1 to DEV-3). */
export const deviceTaints = keyed(deviceTaintEviction, {
  kinds: ['pods'],
  present: ({ indexes }) => indexes.of(podsWithClaims).get('any'),
  concerns: (pod) => !isBeingDeleted(pod) && claimsOf(pod).length > 0,
  affected: affectedByName(podsWithClaims, ({ type, namespace, name }) => [
    storedAs(type) === claims ? `${namespace}/${name}` : 'any',
  ]),
  decide: (pod, { view }, { now }) => deviceEviction(view, pod, now),
  linksOf: (record) => (isPod(record) ? namesOfClaims(record) : linksOfDevices(record)),
});

function namesOfClaims(pod: ObjectRecord): readonly string[] {
  return claimsOf(pod).map((name) => `${pod.namespace}/${name}`);
}

/** A claim and the pools of its devices; rules may select devices of any pool. */
function linksOfDevices({ namespace, name, facts = {} }: ObjectRecord): readonly string[] {
  if (facts.devicePool) return [`pool ${facts.devicePool.driver} ${facts.devicePool.pool}`];
  if (facts.deviceTaintRule) return ['rules'];
  if (!facts.devices) return [];
  const pools = facts.devices.map(({ driver, pool }) => `pool ${driver} ${pool}`);
  return [`${namespace}/${name}`, 'rules', ...pools];
}

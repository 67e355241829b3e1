import {
  claims,
  claimsOf,
  deviceEviction,
  deviceTaintEviction,
} from '../../controllers/nodes/device-taint-eviction.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { IndexKind } from './indexes.ts';
import type { KeyedController } from './keyed-controller.ts';

const podsWithClaims: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (claimsOf(pod).length > 0 ? ['any', ...linksOf(pod)] : []),
};

/** Evicts pods from tainted devices (DEV-1 to DEV-3). */
export const deviceTaints: KeyedController = {
  id: deviceTaintEviction.id,
  controller: 'device-taint-eviction-controller',
  kinds: ['pods'],
  reads: deviceTaintEviction.reads,
  present: ({ indexes }) => indexes.of(podsWithClaims).get('any'),
  concerns: (pod) => !isBeingDeleted(pod) && claimsOf(pod).length > 0,
  affected: ({ before, after }, { indexes }) => {
    const record = after ?? before;
    if (!record || isPod(record)) return [];
    const isClaim = storedAs(record.type) === claims;
    return indexes.of(podsWithClaims).get(isClaim ? `${record.namespace}/${record.name}` : 'any');
  },
  decide: (pod, { view }, { now }) => deviceEviction(view, pod, now),
  linksOf: (record) => (isPod(record) ? linksOf(record) : linksOfDevices(record)),
};

function linksOf(pod: ObjectRecord): readonly string[] {
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

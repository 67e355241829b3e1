import type { Taint } from '../../kube/facts/node.ts';
import type { AllocatedDevice } from '../../kube/facts/storage.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { resourceClaims, resourceSlices } from '../../kube/well-known-kinds.ts';
import { type ClusterView, ownName } from '../cluster-view.ts';
import type { Decision, SyncedController } from '../controller.ts';
import { deletion, disruptionTarget, handlingTime, timeIn } from '../decision.ts';
import { tolerates } from './node-lifecycle.ts';

export const taintRules = 'devicetaintrules.resource.k8s.io';
/**
 * Deletes pods whose devices have a taint NoExecute that their claims do not tolerate, or only for a time (DEV-1 to
 * DEV-3). Where the feature gate is off, API servers keep no taint of a device. Mirrors podEvictionTime and
 * claimEvictionTime, pkg/controller/devicetainteviction/device_taint_eviction.go.
 */
export const deviceTaintEviction: SyncedController = {
  id: 'device-taint-eviction',
  controllers: ['device-taint-eviction-controller'],
  reads: [resourceClaims, resourceSlices, taintRules, 'pods'],
  syncers: [
    {
      runsAs: 'device-taint-eviction-controller',
      syncs: 'pods',
      sync: (pod, { view, now }) => deviceEviction(view, pod, now),
      needsSync: (pod) => !isBeingDeleted(pod) && claimsOf(pod).length > 0,
      // A rule may select devices of any pool.
      keys: {
        pods: (pod) => (claimsOf(pod).length > 0 ? ['any', ...namesOfClaims(pod)] : []),
        [resourceClaims]: ownName,
        [resourceSlices]: () => ['any'],
        [taintRules]: () => ['any'],
      },
      links: {
        pods: namesOfClaims,
        [resourceClaims]: (claim) =>
          claim.facts?.devices
            ? [...ownName(claim), 'rules', ...claim.facts.devices.map(poolOf)]
            : [],
        [resourceSlices]: ({ facts }) => (facts?.devicePool ? [poolOf(facts.devicePool)] : []),
        [taintRules]: () => ['rules'],
      },
    },
  ],
};

function namesOfClaims(pod: ObjectRecord): readonly string[] {
  return claimsOf(pod).map((name) => `${pod.namespace}/${name}`);
}

function poolOf({ driver, pool }: { readonly driver: string; readonly pool: string }): string {
  return `pool ${driver} ${pool}`;
}

/** What is decided about one pod. */
function deviceEviction(view: ClusterView, pod: ObjectRecord, now: number): Decision[] {
  if (knownNodeOf(pod) === undefined || isBeingDeleted(pod)) return [];
  const due = claimsOf(pod)
    .filter((name) => view.minor >= 37 || name !== pod.facts?.extendedResourceClaim)
    .flatMap((name) => view.at(resourceClaims, pod.namespace, name) ?? [])
    .filter(({ facts }) => facts?.reservedFor?.some(({ uid }) => uid === pod.uid))
    .flatMap((claim) => (claim.facts?.devices ?? []).flatMap((device) => evicting(view, device)))
    .sort((a, b) => a.at - b.at);
  const [first] = due;
  if (!first) return [];
  const { device, taint, seconds } = first;
  const how =
    seconds === undefined ? 'does not tolerate it' : `tolerates it for ${seconds} seconds`;
  const message = 'Device Taint manager: deleting due to NoExecute taint';
  const condition = disruptionTarget(pod, { reason: 'DeletionByDeviceTaintManager', message }, now);
  const notBefore = Math.max(now, first.at);
  const decision = deletion(deviceTaintEviction.id, pod, {
    notBefore,
    notAfter: notBefore + handlingTime,
    because: `device ${device.driver}/${device.pool}/${device.device} has the taint ${taint.key}, and its claim ${how}`,
    rule: seconds === undefined ? 'DEV-1' : 'DEV-2',
    options: { uid: pod.uid },
  });
  const patch = { subresource: 'status' as const, body: { status: { conditions: [condition] } } };
  return [{ ...decision, patch }];
}

/** Names of the claims that a pod uses, its own and those made for it. */
export function claimsOf({ facts }: ObjectRecord): readonly string[] {
  const { resourceClaims, resourceClaimStatuses, extendedResourceClaim = [] } = facts ?? {};
  // Asked of every pod, and few have any.
  if (!resourceClaims && !resourceClaimStatuses && !facts?.extendedResourceClaim) return noClaims;
  const named = [...(resourceClaims ?? []), ...(resourceClaimStatuses ?? [])];
  const names = named.flatMap(({ resourceClaimName }) => resourceClaimName ?? []);
  return [...new Set(names.concat(extendedResourceClaim))];
}

const noClaims: readonly string[] = Object.freeze([]);

interface Eviction {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly device: AllocatedDevice;
  readonly taint: Taint;
  /** For how long it is tolerated. */
  readonly seconds: number | undefined;
}

function evicting(view: ClusterView, device: AllocatedDevice): Eviction[] {
  return taintsOf(view, device).flatMap((taint): Eviction[] => {
    if (taint.effect !== 'NoExecute') return [];
    const tolerations = (device.tolerations ?? []).filter(
      (one) => isForEviction(one.effect, view.minor) && tolerates(one, taint),
    );
    if (tolerations.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return [];
    const times = tolerations.map(({ tolerationSeconds = 0 }) => Math.max(0, tolerationSeconds));
    const seconds = times.length > 0 ? Math.min(...times) : undefined;
    return [{ at: timeIn(taint.timeAdded) + (seconds ?? 0) * 1000, device, taint, seconds }];
  });
}

/** Without an effect, a toleration is for all effects only since v1.38. */
function isForEviction(effect: string | undefined, minor: number): boolean {
  return effect === 'NoExecute' || (!effect && minor >= 38);
}

/** Taints that the driver has put on a device, in the newest slices of its pool, and those of rules that select it. */
function taintsOf(view: ClusterView, { driver, pool, device }: AllocatedDevice): Taint[] {
  const own = view
    .all(resourceSlices)
    .flatMap(({ facts }) => facts?.devicePool ?? [])
    .filter((one) => one.driver === driver && one.pool === pool);
  const newest = Math.max(...own.map(({ generation }) => generation));
  const bySlices = own
    .filter(({ generation }) => generation === newest)
    .flatMap(({ tainted }) => tainted.filter(({ name }) => name === device))
    .flatMap(({ taints }) => taints);
  const byRules = view.all(taintRules).flatMap(({ facts }) => {
    const { selector, taint } = facts?.deviceTaintRule ?? {};
    if (!selector || !taint) return [];
    const isSelected =
      (selector.driver ?? driver) === driver &&
      (selector.pool ?? pool) === pool &&
      (selector.device ?? device) === device;
    return isSelected ? [taint] : [];
  });
  return [...bySlices, ...byRules];
}

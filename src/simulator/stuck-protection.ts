import type { ObjectRecord } from '../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf } from '../kube/pod-use.ts';
import type { Scene } from './scene.ts';
import type { World } from './world.ts';

/** Why a finalizer that protects a claim or a volume stays, and by whom. */
export interface Protection {
  readonly because: string;
  readonly on: readonly ObjectRecord[];
}

const ofVolumes = 'kubernetes.io/pv-protection';

const controllers: Readonly<Record<string, string>> = {
  [ofVolumes]: 'persistentvolume-protection-controller',
  'kubernetes.io/pvc-protection': 'persistentvolumeclaim-protection-controller',
};

/** Undefined for finalizers that protect no storage, and where collectors are not played (PV-11, PV-12). */
export function protectionOf(
  { state }: World,
  { collectors, isEnabled }: Scene,
  record: ObjectRecord,
  finalizer: string,
): Protection | undefined {
  const controller = controllers[finalizer];
  if (controller === undefined || !collectors) return undefined;
  if (!isEnabled(controller)) {
    return { because: `${controller}, which would remove ${finalizer}, does not run`, on: [] };
  }
  const { facts, namespace, name } = record;
  if (!facts) return { because: `nothing was read of it that tells about ${finalizer}`, on: [] };
  if (facts.claimRef) {
    const { claimRef } = facts;
    const claim = state.at('persistentvolumeclaims', claimRef.namespace ?? '', claimRef.name);
    return { because: `it is bound to claim ${claimRef.name}`, on: claim ? [claim] : [] };
  }
  if (finalizer === ofVolumes) {
    return { because: 'it was not read whether it is bound to a claim', on: [] };
  }
  const pods = [...state.ofResource('pods', namespace)];
  const users = pods.filter((pod) => knownNodeOf(pod) !== undefined && uses(pod, name));
  if (users.length > 0) {
    return { because: `used by ${users.map((pod) => `Pod ${pod.name}`).join(', ')}`, on: users };
  }
  return { because: 'it was not read whether pods use it', on: [] };
}

function uses(pod: ObjectRecord, claim: string): boolean {
  return knownClaimsOf(pod).includes(claim);
}

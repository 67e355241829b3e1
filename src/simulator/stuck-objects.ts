import { FOREGROUND, type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { nodeNameOf, notRead } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isNamespace, isPod, specFinalizersOf } from '../kube/well-known-kinds.ts';
import { CRD_CLEANUP } from './api-server-delete.ts';
import { hasKubelet } from './kubelet.ts';
import type { Scene } from './scene.ts';
import { protectionOf } from './stuck-protection.ts';
import { identityOf, type ObjectIdentity } from './timeline.ts';
import type { World } from './world.ts';

/** An object that is being deleted and cannot go. */
export interface Stuck {
  readonly object: ObjectIdentity;
  readonly because: string;
  /** The objects that hold it, where objects do. */
  readonly on: readonly ObjectIdentity[];
}

/** Says of each terminating object what it waits for. */
export function stuckObjects(
  world: World,
  scene: Scene,
  terminating: readonly ObjectRecord[],
): Stuck[] {
  if (terminating.length === 0) return [];
  const blockers = blockersOf(world, terminating);
  return terminating.map((record) => ({ object: identityOf(record), ...holds(record) }));

  function holds(record: ObjectRecord): { because: string; on: ObjectIdentity[] } {
    const reasons: string[] = [];
    const on: ObjectIdentity[] = [];
    for (const finalizer of record.finalizers) {
      const protection = protectionOf(world, scene, record, finalizer);
      if (protection) {
        reasons.push(protection.because);
        on.push(...protection.on.map(identityOf));
      } else if (finalizer === FOREGROUND && scene.isEnabled('garbage-collector-controller')) {
        const blocking = blockers.get(record.uid) ?? [];
        on.push(...blocking.map(identityOf));
        reasons.push(blocksForeground(blocking));
      } else reasons.push(waitsFor(finalizer, scene));
    }
    if (isNamespace(record)) reasons.push(...namespaceReasons(world, scene, record));
    if (record.finalizers.length === 0 && isPod(record))
      reasons.push(podReason(world, scene, record));
    return { because: reasons.join('; ') || 'nobody finishes its deletion', on };
  }
}

function blocksForeground(blocking: readonly ObjectRecord[]): string {
  if (blocking.length === 0) return 'nobody removes its foregroundDeletion finalizer';
  const names = blocking.slice(0, 5).map(({ type, name }) => `${type.kind} ${name}`);
  const more = blocking.length - names.length;
  return `blocked by its dependents ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function waitsFor(finalizer: string, { isEnabled }: Scene): string {
  if (finalizer === ORPHAN || finalizer === FOREGROUND) {
    return isEnabled('garbage-collector-controller')
      ? `the collector cannot finish what ${finalizer} asks for`
      : `the garbage collector, which would remove ${finalizer}, does not run`;
  }
  if (finalizer === CRD_CLEANUP) return 'instances of it are left';
  return `nothing that is simulated removes its finalizer ${finalizer}`;
}

function namespaceReasons(world: World, scene: Scene, namespace: ObjectRecord): string[] {
  const finalizers = specFinalizersOf(namespace);
  if (finalizers.length === 0) return [];
  if (!scene.isEnabled('namespace-controller')) return ['the namespace controller does not run'];
  const { state } = world;
  const left = state.types
    .preferred()
    .filter(({ namespaced }) => namespaced)
    .map((type) => ({ type, count: state.list(type, namespace.name).length }))
    .filter(({ count }) => count > 0)
    .map(({ type, count }) => `${count} ${groupResourceOf(type)}`);
  const others = finalizers.filter((name) => name !== 'kubernetes');
  return left.length > 0
    ? [`${left.join(', ')} are left in it`]
    : others.map((name) => `nothing that is simulated removes ${name} from its spec.finalizers`);
}

function podReason(world: World, { kubelets }: Scene, pod: ObjectRecord): string {
  const node = nodeNameOf(pod);
  if (node === notRead) {
    return 'it was not read which node it is on, whose kubelet has to confirm that its containers have stopped';
  }
  if (!kubelets) return `no kubelet on ${node} confirms that its containers have stopped`;
  return hasKubelet(world, pod)
    ? 'its grace period is not over'
    : `its node ${node} ${world.state.at('nodes', '', node) ? 'is not ready' : 'does not exist'}, so nobody confirms that its containers have stopped`;
}

function blockersOf(
  { state }: World,
  terminating: readonly ObjectRecord[],
): ReadonlyMap<string, ObjectRecord[]> {
  const waiting = new Map<string, ObjectRecord[]>();
  for (const { uid, finalizers } of terminating) {
    if (finalizers.includes(FOREGROUND)) waiting.set(uid, []);
  }
  if (waiting.size === 0) return waiting;
  for (const record of state.all()) {
    for (const { uid, blockOwnerDeletion } of record.ownerReferences) {
      const list = blockOwnerDeletion === true ? waiting.get(uid) : undefined;
      if (list && list.at(-1) !== record) list.push(record);
    }
  }
  return waiting;
}

import { protections } from '../controllers/finalizers/protection.ts';
import { unconfirmedOn } from '../controllers/nodes/silent-node.ts';
import { firstOf } from '../kube/counts-by-kind.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { holdsClaim, nodeNameOf, notRead } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isNamespace, isPod, specFinalizersOf } from '../kube/well-known-kinds.ts';
import { CRD_CLEANUP } from './api-server/delete-object.ts';
import { hasKubelet, silentNodeOf } from './controllers/kubelet.ts';
import type { RunContext } from './engine/run-context.ts';
import type { SimulationInput } from './simulation-input.ts';

/** An object that is being deleted and cannot go. */
export interface Stuck {
  readonly object: ObjectReference;
  readonly because: string;
  /** The objects that hold it, where objects do. */
  readonly on: readonly ObjectReference[];
}

/** Says of each terminating object what it waits for. */
export function stuckObjects(
  context: RunContext,
  input: SimulationInput,
  terminating: readonly ObjectRecord[],
): Stuck[] {
  if (terminating.length === 0) return [];
  const blockers = blockersOf(context, terminating);
  const nodeNamed = (name: string) => context.state.at('nodes', '', name);
  return terminating.map((record) => {
    const holds = record.finalizers.map((finalizer): Hold => {
      const protection = protectionOf(context, input, record, finalizer);
      if (protection) return protection;
      if (finalizer !== FOREGROUND || !input.isEnabled('garbage-collector-controller')) {
        return { because: awaitedBy(finalizer, input), on: [] };
      }
      const on = blockers.get(record.uid) ?? [];
      return { because: blocksForeground(on), on };
    });
    const reasons = holds.map(({ because }) => because);
    if (isNamespace(record)) reasons.push(...namespaceReasons(context, input, record));
    const isAwaited = record.finalizers.length === 0 || silentNodeOf(record, nodeNamed);
    if (isPod(record) && isAwaited) reasons.push(podReason(context, input, record));
    return {
      object: referenceTo(record),
      because: reasons.join('; ') || 'no controller finishes its deletion',
      on: holds.flatMap(({ on }) => on.map(referenceTo)),
    };
  });
}

function blocksForeground(blocking: readonly ObjectRecord[]): string {
  if (blocking.length === 0) return 'no controller removes its foregroundDeletion finalizer';
  const names = blocking.map(({ type, name }) => `${type.kind} ${name}`);
  const dependents = blocking.length === 1 ? 'its dependent' : 'its dependents';
  return `blocked by ${dependents} ${firstOf(names, 5)}`;
}

function awaitedBy(finalizer: string, { isEnabled }: SimulationInput): string {
  if (finalizer === ORPHAN || finalizer === FOREGROUND) {
    return isEnabled('garbage-collector-controller')
      ? `the collector cannot finish what ${finalizer} asks for`
      : `the garbage collector, which would remove ${finalizer}, does not run`;
  }
  if (finalizer === CRD_CLEANUP) return 'instances of it remain';
  const own = protections.find((one) => one.finalizer === finalizer);
  if (own) {
    return isEnabled(own.controller)
      ? `${own.controller} removes ${finalizer} once ${own.unused}`
      : `${own.controller}, which would remove ${finalizer}, does not run`;
  }
  return `no simulated controller removes finalizer ${finalizer}`;
}

function namespaceReasons(
  context: RunContext,
  input: SimulationInput,
  namespace: ObjectRecord,
): string[] {
  const finalizers = specFinalizersOf(namespace);
  if (finalizers.length === 0) return [];
  if (!input.isEnabled('namespace-controller')) return ['the namespace controller does not run'];
  const { state } = context;
  const left = state.types
    .preferred()
    .filter(({ namespaced }) => namespaced)
    .map((type) => ({ type, count: state.list(type, namespace.name).length }))
    .filter(({ count }) => count > 0)
    .map(({ type, count }) => `${count} ${groupResourceOf(type)}`);
  if (left.length > 0) return [`namespace still contains ${left.join(', ')}`];
  const others = finalizers.filter((name) => name !== 'kubernetes');
  return [
    ...state.types.failed.map(({ message }) => `its controller does not finish: ${message}`),
    ...others.map((name) => `no simulated controller removes ${name} from its spec.finalizers`),
  ];
}

function podReason(context: RunContext, { kubelets }: SimulationInput, pod: ObjectRecord): string {
  const node = nodeNameOf(pod);
  if (node === notRead) {
    return 'its Node was not read, whose kubelet must confirm that its containers stopped';
  }
  if (!kubelets) return `no kubelet on ${node} confirms that its containers stopped`;
  return hasKubelet(context, pod)
    ? 'its grace period is not over'
    : unconfirmedOn(node, context.state.at('nodes', '', node) !== undefined);
}

function blockersOf(
  { state }: RunContext,
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
  // In the same order whatever else there is.
  for (const list of waiting.values()) {
    list.sort((one, other) => compareObjects(referenceTo(one), referenceTo(other)));
  }
  return waiting;
}

/** Why a finalizer stays, and by whom. */
interface Hold {
  readonly because: string;
  readonly on: readonly ObjectRecord[];
}

const ofVolumes = 'kubernetes.io/pv-protection';

const protectionControllers: Readonly<Record<string, string>> = {
  [ofVolumes]: 'persistentvolume-protection-controller',
  'kubernetes.io/pvc-protection': 'persistentvolumeclaim-protection-controller',
};

/**
 * Undefined for finalizers that protect no storage, and where the controllers are not simulated
 * (PV-11, PV-12).
 */
function protectionOf(
  { state }: RunContext,
  { controllers, isEnabled }: SimulationInput,
  record: ObjectRecord,
  finalizer: string,
): Hold | undefined {
  const controller = protectionControllers[finalizer];
  if (controller === undefined || !controllers) return undefined;
  if (!isEnabled(controller)) {
    return { because: `${controller}, which would remove ${finalizer}, does not run`, on: [] };
  }
  const { facts, namespace } = record;
  const claimRef = facts?.claimRef;
  if (claimRef) {
    const claim = state.at('persistentvolumeclaims', claimRef.namespace ?? '', claimRef.name);
    return { because: `it is bound to claim ${claimRef.name}`, on: claim ? [claim] : [] };
  }
  if (finalizer === ofVolumes) {
    return { because: 'it was not read whether it is bound to a claim', on: [] };
  }
  const users = state.ofResource('pods', namespace).filter((pod) => holdsClaim(pod, record));
  if (users.length > 0) {
    return { because: `used by ${users.map((pod) => `Pod ${pod.name}`).join(', ')}`, on: users };
  }
  return { because: 'it was not read whether pods use it', on: [] };
}

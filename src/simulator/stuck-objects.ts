import { protections } from '../controllers/finalizers/protection.ts';
import { unconfirmedOn } from '../controllers/nodes/silent-node.ts';
import { firstOf } from '../kube/counts-by-kind.ts';
import { compareText } from '../kube/names.ts';
import {
  CRD_CLEANUP,
  FOREGROUND,
  isDeletingDependents,
  type ObjectRecord,
  ORPHAN,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../kube/object-record.ts';
import { compareObjects, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { holdsClaim, notRead } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  namespaceFinalizer,
  specFinalizersOf,
} from '../kube/well-known-kinds.ts';
import { garbageCollectorName as collector } from '../settings/enabled-controllers.ts';
import {
  awaitedKubelet,
  type Blocker,
  type BlockerContext,
  deletionBlockers,
  dependentsThatBlock,
} from '../snapshot/graph/blockers.ts';
import type { RunContext } from './engine/run-context.ts';
import { hasKubelet } from './kubelet.ts';
import type { SimulationInput } from './simulation-input.ts';

/** An object that is being deleted and cannot go. */
export interface Stuck {
  readonly object: ObjectReference;
  readonly because: string;
  /** The objects that hold it, where objects do. */
  readonly on: readonly ObjectReference[];
  readonly blockedBy: readonly Blocker[];
}

/** Says of each terminating object what it waits for. */
export function stuckObjects(
  context: RunContext,
  input: SimulationInput,
  terminating: readonly ObjectRecord[],
): Stuck[] {
  if (terminating.length === 0) return [];
  const surroundingsOf = surroundingsIn(context, input, terminating);
  return terminating.map((record) => {
    const around = surroundingsOf(record);
    const holds = [
      ...record.finalizers.map((finalizer) => holdOf(context, input, record, finalizer, around)),
      ...namespaceHolds(context, input, record, around),
      ...podHolds(context, input, record),
    ];
    return {
      object: referenceTo(record),
      because:
        holds.map(({ because }) => because).join('; ') || 'no controller finishes its deletion',
      on: holds.flatMap(({ on = [] }) => on),
      blockedBy: deletionBlockers(record, around),
    };
  });
}

/** The blocking dependents and the content of these. A garbage collector that does not run waits for no dependent. */
function surroundingsIn(
  { state }: RunContext,
  { isEnabled }: SimulationInput,
  terminating: readonly ObjectRecord[],
): (record: ObjectRecord) => BlockerContext {
  const isWaiting = isEnabled(collector) && terminating.some(isDeletingDependents);
  const dependents = dependentsThatBlock(isWaiting ? state.all() : []);
  const counted = (resource: string, { length }: readonly unknown[]) =>
    length === 0 ? [] : [`${length} ${resource}`];
  const contentOf = (record: ObjectRecord) => {
    if (isCustomResourceDefinition(record)) {
      return counted(record.name, state.ofResource(record.name));
    }
    if (!isNamespace(record)) return [];
    const inside = state.types.preferred().filter(({ namespaced }) => namespaced);
    const byResource = new Map(inside.map((type) => [groupResourceOf(type), type]));
    return [...byResource]
      .sort(([one], [other]) => compareText(one, other))
      .flatMap(([resource, type]) => counted(resource, state.list(type, record.name)));
  };
  return (record) => ({
    // In the same order whatever else there is.
    dependents: (dependents.get(record.uid) ?? []).map(referenceTo).sort(compareObjects),
    content: contentOf(record),
  });
}

/** Why an object stays, and by whom. */
interface Hold {
  readonly because: string;
  readonly on?: readonly ObjectReference[];
}

function holdOf(
  context: RunContext,
  input: SimulationInput,
  record: ObjectRecord,
  finalizer: string,
  { dependents }: BlockerContext,
): Hold {
  const protection = protectionOf(context, input, record, finalizer);
  if (protection) return protection;
  if (finalizer === FOREGROUND && input.isEnabled(collector)) {
    return { because: blocksForeground(dependents), on: dependents };
  }
  return { because: awaitedBy(finalizer, input) };
}

function blocksForeground(blocking: readonly ObjectReference[]): string {
  if (blocking.length === 0) return 'no controller removes its foregroundDeletion finalizer';
  const names = blocking.map(({ kind, name }) => `${kind} ${name}`);
  const dependents = blocking.length === 1 ? 'its dependent' : 'its dependents';
  return `blocked by ${dependents} ${firstOf(names, 5)}`;
}

function awaitedBy(finalizer: string, { isEnabled }: SimulationInput): string {
  if (finalizer === ORPHAN || finalizer === FOREGROUND) {
    return isEnabled(collector)
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

function namespaceHolds(
  { state }: RunContext,
  input: SimulationInput,
  record: ObjectRecord,
  { content }: BlockerContext,
): Hold[] {
  const finalizers = isNamespace(record) ? specFinalizersOf(record) : [];
  if (finalizers.length === 0) return [];
  if (!input.isEnabled('namespace-controller')) {
    return [{ because: 'the namespace controller does not run' }];
  }
  const others = finalizers.filter((name) => name !== namespaceFinalizer);
  return [
    ...(content.length > 0
      ? [`namespace still contains ${content.join(', ')}`]
      : state.types.failed.map(({ message }) => `its controller does not finish: ${message}`)),
    ...others.map((name) => `no simulated controller removes ${name} from its spec.finalizers`),
  ].map((because) => ({ because }));
}

function podHolds(context: RunContext, { kubelets }: SimulationInput, pod: ObjectRecord): Hold[] {
  const node = awaitedKubelet(pod);
  if (node === undefined) return [];
  if (node === notRead) {
    const because = 'its Node was not read, whose kubelet must confirm that its containers stopped';
    return [{ because }];
  }
  if (!kubelets) return [{ because: `no kubelet on ${node} confirms that its containers stopped` }];
  const because = hasKubelet(context, pod)
    ? 'its grace period is not over'
    : unconfirmedOn(node, context.state.at('nodes', '', node) !== undefined);
  return [{ because }];
}

const protectionControllers: Readonly<Record<string, string>> = {
  [PV_PROTECTION]: 'persistentvolume-protection-controller',
  [PVC_PROTECTION]: 'persistentvolumeclaim-protection-controller',
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
    return { because: `${controller}, which would remove ${finalizer}, does not run` };
  }
  const { facts, namespace } = record;
  const claimRef = facts?.claimRef;
  if (claimRef) {
    const claim = state.at('persistentvolumeclaims', claimRef.namespace ?? '', claimRef.name);
    return {
      because: `it is bound to claim ${claimRef.name}`,
      on: claim ? [referenceTo(claim)] : [],
    };
  }
  if (finalizer === PV_PROTECTION) {
    return { because: 'it was not read whether it is bound to a claim' };
  }
  const users = state.ofResource('pods', namespace).filter((pod) => holdsClaim(pod, record));
  if (users.length > 0) {
    return {
      because: `used by ${users.map((pod) => `Pod ${pod.name}`).join(', ')}`,
      on: users.map(referenceTo),
    };
  }
  return { because: 'it was not read whether pods use it' };
}

import type {
  ContainerGcPolicy,
  NodeContainer,
  NodeFacts,
  NodePod,
  NodeSandbox,
} from '../node-facts.ts';
import {
  type ContainerPassInput,
  collectContainers,
  collectSandboxes,
  type PodStates,
  type RemovedContainer,
  type RuntimeContainer,
  type RuntimeSandbox,
} from './container-gc.ts';

export type ContainerFate = 'removed' | 'may-be-removed' | 'kept';
export type ContainerReason =
  | 'running'
  | 'too-young'
  | 'deleted-pod'
  | 'terminated-pod'
  | 'maybe-deleted-pod'
  | 'limit-per-container'
  | 'limit-in-total'
  | 'same-age'
  | 'within-limits';

export interface JudgedContainer<T extends RuntimeContainer> {
  readonly container: T;
  readonly fate: ContainerFate;
  readonly reason: ContainerReason;
  readonly rule: string;
}

export interface JudgedSandbox<T extends RuntimeSandbox> {
  readonly sandbox: T;
  readonly fate: ContainerFate;
  readonly reason: 'ready' | 'has-containers' | 'deleted-pod' | 'older' | 'newest' | 'unsure';
}

interface ContainerForecast<C extends RuntimeContainer, S extends RuntimeSandbox> {
  /** In this order: containers that are removed, in their order; those that may be removed; those that stay. */
  readonly containers: readonly JudgedContainer<C>[];
  readonly sandboxes: readonly JudgedSandbox<S>[];
}

interface ContainerForecastInput<C extends RuntimeContainer, S extends RuntimeSandbox>
  extends NodeContainerPass {
  readonly containers: readonly C[];
  readonly sandboxes: readonly S[];
  readonly stateOf: (uid: string) => KnownPodState;
}

/**
 * The next container pass as far as it can be known outside of the kubelet: simulated once with the
 * pods of unknown state existing and once with them gone; what differs may go or stay.
 * @internal
 */
export function containerForecast<C extends RuntimeContainer, S extends RuntimeSandbox>(
  input: ContainerForecastInput<C, S>,
): ContainerForecast<C, S> {
  const { containers, stateOf, policy } = input;
  const cautious = playRemovals(input, 'exist');
  const thorough = playRemovals(input, 'are-removed');
  const isYoung = ({ createdAt }: C) => createdAt > input.now - policy.minAge;
  const verdict = (container: C): Omit<JudgedContainer<C>, 'container'> => {
    if (container.state === 'running') return kept('running');
    const few = cautious.containers.get(container.id);
    const many = thorough.containers.get(container.id);
    const state = stateOf(container.podUid);
    if (few && many && isSure(few, state, policy)) {
      return { fate: 'removed', reason: containerReason(few, state), rule: few.rule };
    }
    const found = many ?? few;
    if (!found) return kept(isYoung(container) ? 'too-young' : 'within-limits');
    const tied = !found.certain || (few !== undefined && !few.certain);
    const reason = tied ? 'same-age' : few ? containerReason(few, state) : 'maybe-deleted-pod';
    return { fate: 'may-be-removed', reason, rule: found.rule };
  };
  const judged = containers.map((container) => ({ container, ...verdict(container) }));
  const order = new Map([...thorough.containers.keys()].map((id, index) => [id, index]));
  return {
    containers: judged.toSorted(
      (a, b) =>
        fateRank[a.fate] - fateRank[b.fate] ||
        (order.get(a.container.id) ?? 0) - (order.get(b.container.id) ?? 0) ||
        b.container.createdAt - a.container.createdAt,
    ),
    sandboxes: judgeSandboxes(input, cautious, thorough),
  };
}

const fateRank = { removed: 0, 'may-be-removed': 1, kept: 2 } as const;

function kept(reason: ContainerReason) {
  const rule = reason === 'running' || reason === 'too-young' ? 'CTR-2' : 'CTR-5';
  return { fate: 'kept', reason, rule } as const;
}

/** With a limit in total, one Pod less leaves room for others: then only removals that do not depend on the limit are certain. */
function isSure(
  removed: RemovedContainer,
  state: KnownPodState,
  policy: ContainerGcPolicy,
): boolean {
  if (!removed.certain) return false;
  return policy.maxContainers < 0 || state !== 'unknown' || removed.rule !== 'CTR-6';
}

function containerReason({ rule }: RemovedContainer, state: KnownPodState): ContainerReason {
  if (rule === 'CTR-4') return state === 'terminated' ? 'terminated-pod' : 'deleted-pod';
  return rule === 'CTR-5' ? 'limit-per-container' : 'limit-in-total';
}

/** What one pass does: the containers and the sandboxes that go, by id, and the sandboxes that then hold containers. */
interface Played {
  readonly containers: ReadonlyMap<string, RemovedContainer>;
  readonly sandboxes: ReadonlySet<string>;
  readonly occupied: ReadonlySet<string>;
}

function playRemovals(
  { stateOf, ...input }: ContainerForecastInput<RuntimeContainer, RuntimeSandbox>,
  unknowns: 'exist' | 'are-removed',
): Played {
  const pods = podStates(stateOf, unknowns);
  const removed = collectContainers({ ...input, pods, sourcesReady: true });
  const containers = new Map(removed.map((one) => [one.container.id, one]));
  const left = input.containers.filter(({ id }) => !containers.has(id));
  const sandboxes = collectSandboxes({ ...input, containers: left, pods });
  return {
    containers,
    sandboxes: new Set(sandboxes.map(({ id }) => id)),
    occupied: new Set(left.map(({ sandboxId }) => sandboxId)),
  };
}

function judgeSandboxes<S extends RuntimeSandbox>(
  { sandboxes, stateOf, deleteAll }: ContainerForecastInput<RuntimeContainer, S>,
  cautious: Played,
  thorough: Played,
): JudgedSandbox<S>[] {
  return sandboxes
    .map((sandbox): JudgedSandbox<S> => {
      const state = stateOf(sandbox.podUid);
      if (cautious.sandboxes.has(sandbox.id)) {
        const isGone = state === 'content-removed' || (deleteAll && state === 'terminated');
        return { sandbox, fate: 'removed', reason: isGone ? 'deleted-pod' : 'older' };
      }
      if (thorough.sandboxes.has(sandbox.id)) {
        return { sandbox, fate: 'may-be-removed', reason: 'unsure' };
      }
      const reason = sandbox.ready
        ? 'ready'
        : cautious.occupied.has(sandbox.id)
          ? 'has-containers'
          : 'newest';
      return { sandbox, fate: 'kept', reason };
    })
    .sort(
      (a, b) => fateRank[a.fate] - fateRank[b.fate] || a.sandbox.createdAt - b.sandbox.createdAt,
    );
}

type NodeContainerPass = Pick<ContainerPassInput, 'policy' | 'deleteAll' | 'now'>;

/** What a container pass does on a node, as far as it can be known from outside. */
export function nodeContainerForecast(
  facts: NodeFacts,
  pass: NodeContainerPass,
): ContainerForecast<NodeContainer, NodeSandbox> {
  const { containers = [], sandboxes = [] } = facts;
  const pods = facts.pods && new Map(facts.pods.map((pod) => [pod.uid, pod]));
  const alive = new Set([
    ...containers.filter(({ state }) => state === 'running').map(({ podUid }) => podUid),
    ...sandboxes.filter(({ ready }) => ready).map(({ podUid }) => podUid),
  ]);
  return containerForecast({
    ...pass,
    containers,
    sandboxes,
    stateOf: (uid) => podStateOf(uid, pods, alive.has(uid)),
  });
}

/** The state of a Pod as seen from outside: the state of the kubelet's pod workers cannot be read (VIS-2). */
type KnownPodState = 'exists' | 'terminated' | 'content-removed' | 'unknown';

/** How the kubelet most likely sees a pod; unknown without a list of pods. */
function podStateOf(
  uid: string,
  pods: ReadonlyMap<string, NodePod> | undefined,
  /** Has it a running container or a ready sandbox? Then it has not terminated. */
  isAlive: boolean,
): KnownPodState {
  if (pods === undefined) return isAlive ? 'exists' : 'unknown';
  const pod = pods.get(uid);
  // Containers without a pod are treated as those of a deleted one (K13).
  if (pod === undefined) return 'content-removed';
  const ended = pod.phase === 'Succeeded' || pod.phase === 'Failed';
  if (pod.phase === 'Failed' && pod.reason === 'Evicted') return 'content-removed';
  if (ended && pod.deleting) return 'content-removed';
  // It is being deleted; from outside it is unknown whether its containers still run.
  if (pod.deleting) return isAlive ? 'exists' : 'unknown';
  return ended ? 'terminated' : 'exists';
}

/**
 * The same as functions that the kubelet's pass calls; `unknowns` is the state assumed for unknown
 * pods.
 * @internal
 */
export function podStates(
  stateOf: (uid: string) => KnownPodState,
  unknowns: 'exist' | 'are-removed',
): PodStates {
  const isRemoved = (state: KnownPodState) =>
    state === 'content-removed' || (state === 'unknown' && unknowns === 'are-removed');
  return {
    contentRemoved: (uid) => isRemoved(stateOf(uid)),
    runtimeRemoved: (uid) => stateOf(uid) === 'terminated' || isRemoved(stateOf(uid)),
  };
}

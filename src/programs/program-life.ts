import type { ContainerStatus } from '../kube/facts/pod.ts';
import { isLed } from '../kube/leader-lease.ts';
import { matchesPattern } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf, type ObjectReference } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { apiDefaults, isPod, isReady, readyConditionOf } from '../kube/well-known-kinds.ts';
import type { CoverageIndex } from '../snapshot/coverage.ts';
import { type FinalizerController, runsController } from './known-finalizers.ts';
import { type FinalizerTraces, isNamedIn } from './traces.ts';
import { watchedNamespace } from './watched-namespaces.ts';

/** Kinds that run programs. */
export const programKinds: readonly string[] = [
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'pods',
];

/** Whether the program of a finalizer runs: the one answer, for every command. */
export interface ProgramLife {
  /**
   * `runs`: it has a ready pod, or renews its Lease. `elsewhere`: it does so, and watches other namespaces only. `down`: it is
   * there and does neither. `missing`: all was read, and nothing looks like it. `unclear`: what was read does not decide it.
   * `unread`: what would decide it was not read.
   */
  readonly state: 'runs' | 'elsewhere' | 'down' | 'missing' | 'unclear' | 'unread';
  /** The evidence: `Deployment keda/keda-operator has no ready pod`. */
  readonly because: string;
  /** The workloads that look like it, and pods that none of them made. */
  readonly programs: readonly ObjectRecord[];
  /** The Lease of its leader. */
  readonly lease?: ObjectRecord;
}

/** Where a program is looked for. */
export interface ProgramsSeen {
  /** Workloads, pods and Leases; what else is among them is passed over. */
  readonly records: readonly ObjectRecord[];
  /** Of the kinds that run programs, those that were not read everywhere: `pods`. */
  readonly unread: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Was a cluster read, and no file of an unknown time? */
  readonly ofCluster: boolean;
}

/** The kinds that run programs and were not read everywhere. */
export function programKindsUnread(types: ResourceTypes, coverage: CoverageIndex): string[] {
  return programKinds.filter((kind) => {
    const [type] = types.versions(kind);
    return type && !coverage.coversKind(type, '');
  });
}

/**
 * Finds whether programs run, and do so for the objects of a namespace; '' for those of none. `traces` are of a finalizer that is
 * in no list: a Lease may be named after it.
 */
export function programLives(
  seen: ProgramsSeen,
): (
  controller: FinalizerController,
  traces?: FinalizerTraces,
) => (namespace: string) => ProgramLife {
  const byKind = Map.groupBy(seen.records, ({ type }) => groupResourceOf(type));
  const programs = programKinds.flatMap((kind) => byKind.get(kind) ?? []);
  const pods = byKind.get('pods') ?? [];
  const leases = byKind.get('leases.coordination.k8s.io') ?? [];
  return (controller, traces) => {
    const matching = programs.filter((record) => looksLike(record, controller));
    const workloads = matching.filter((record) => !isPod(record));
    const found = matching.filter((record) => !isPod(record) || !isMadeBy(record, workloads));
    const lease = leases.find((one) => isLeaseOf(one, controller, found, traces));
    const life = lifeOf({ ...seen, programs, pods, leases }, found, lease, controller);
    const whole = { ...life, programs: found, ...(lease && { lease }) };
    return (namespace) => lifeIn(namespace, whole, controller, seen.ofCluster);
  };
}

/** The life of a program that runs, for the objects of one namespace. */
function lifeIn(
  namespace: string,
  life: ProgramLife,
  controller: FinalizerController,
  ofCluster: boolean,
): ProgramLife {
  if (life.state !== 'runs' || life.programs.length === 0) return life;
  const ready = life.programs.filter((one) => podsReady(one, ofCluster).state === 'runs');
  const running = ready.length > 0 ? ready : life.programs;
  const watching = running.map((one) => watchedNamespace(one, controller, namespace));
  if (watching.some(({ watches }) => watches === 'yes')) return life;
  const doubt = watching.find(({ watches }) => watches === 'unknown');
  const state = doubt ? 'unclear' : 'elsewhere';
  return { ...life, state, because: `${life.because}, but ${(doubt ?? watching[0])?.because}` };
}

/** What was seen, by its use. */
interface SeenByUse extends Omit<ProgramsSeen, 'records'> {
  readonly programs: readonly ObjectRecord[];
  readonly pods: readonly ObjectRecord[];
  readonly leases: readonly ObjectRecord[];
}

/** `found`: what looks like the program; `lease`: that of its leader. */
function lifeOf(
  { programs, pods, leases, unread, now, ofCluster }: SeenByUse,
  found: readonly ObjectRecord[],
  lease: ObjectRecord | undefined,
  controller: FinalizerController,
): Pick<ProgramLife, 'state' | 'because'> {
  const states = found.map((program) => podsReady(program, ofCluster));
  const isFresh = lease && isLed(lease, leases, now, ofCluster);
  const where = lease && `Lease ${lease.namespace}/${lease.name}`;
  const stale = `${where} was last renewed at ${lease?.facts?.renewTime}`;
  const ready = states.find(({ state }) => state === 'runs');
  if (ready && isFresh === false) {
    return { state: 'unclear', because: `${ready.because}, but ${stale}` };
  }
  // A Lease that is named for its driver shows that the right one runs.
  const isOwn = isFresh && controller.leases?.includes(lease.name);
  if (ready && controller.oneOfMany && !isOwn) {
    const because = `${ready.because}, but whether it is the one of this object is not known`;
    return { state: 'unclear', because };
  }
  if (ready) return ready;
  if (isFresh) return { state: 'runs', because: `it renews ${where}` };
  const open = states.find(({ state }) => state === 'unread');
  if (open) return open;
  const [down] = states;
  const hidden = unread.filter((kind) => kind !== 'pods');
  if (down) {
    const crashing = found.flatMap((program) => crashLoopingPods(program, pods));
    const because = `${down.because}${crashLoopsInWords(crashing)}`;
    return hidden.length > 0
      ? { state: 'unread', because: `${because}, but ${notReadInWords(hidden)}` }
      : { ...down, because };
  }
  if (lease && lease.facts === undefined) {
    return { state: 'unread', because: `of ${where} only metadata was read` };
  }
  if (isFresh === false) return { state: 'down', because: stale };
  // The program may be among the Pods of which only metadata was read: only their images would show it.
  const alone = [...programs.filter((one) => !isPod(one)), ...podsAlone(programs)];
  if (alone.some(({ facts }) => facts === undefined) && (controller.images ?? []).length > 0) {
    return { state: 'unread', because: 'of workloads or pods only metadata was read' };
  }
  if (unread.length > 0) {
    return { state: 'unread', because: notReadInWords(unread) };
  }
  const none = 'no Deployment, StatefulSet, DaemonSet or Pod looks like it';
  if (!controller.mayRunElsewhere && controller.runsIn === 'workload') {
    return { state: 'missing', because: none };
  }
  const because = `${none}; it may run outside of the cluster, where it cannot be seen`;
  return { state: 'unclear', because };
}

/** What a program is called, and whether it runs: `KEDA operator does not run: …`. */
export function lifeInWords(title: string, { state, because }: ProgramLife): string {
  switch (state) {
    case 'runs':
    case 'elsewhere':
      return `${title} runs (${because})`;
    case 'down':
      return `${title} does not run: ${because}`;
    case 'missing':
      return `no Deployment, StatefulSet, DaemonSet or Pod looks like ${title}`;
    default:
      return `whether ${title} runs is not known: ${because}`;
  }
}

interface PodsReady extends Pick<ProgramLife, 'because'> {
  readonly state: 'runs' | 'down' | 'unread';
}

/**
 * Does a workload or a pod run, by its ready pods? `unread` where its status was not read: of a cluster, that a
 * status is missing says that no pod is ready.
 */
export function podsReady(program: ObjectRecord, ofCluster: boolean): PodsReady {
  const { facts = {}, type } = program;
  const title = fullNameOf(program);
  if (facts.replicas === 0) return { state: 'down', because: `${title} is scaled to 0` };
  if (isPod(program)) {
    const ready = isReady(program);
    if (facts.phase === undefined || (facts.phase === 'Running' && !readyConditionOf(program))) {
      return notSeen(title);
    }
    return { state: ready ? 'runs' : 'down', because: `${title} is ${ready ? '' : 'not '}ready` };
  }
  // A pod is available only minReadySeconds after it is ready, but it runs.
  const ready = facts.numberReady ?? facts.readyReplicas ?? facts.availableReplicas;
  if (ready !== undefined && ready > 0) {
    const wanted =
      type.kind === 'DaemonSet'
        ? facts.desiredNumberScheduled
        : (facts.replicas ?? apiDefaults.replicas);
    const of = wanted === undefined ? '' : ` of ${wanted}`;
    return { state: 'runs', because: `${title} has ${ready}${of} pods ready` };
  }
  // Its controller writes observedGeneration with the first status.
  const isSeen =
    (ofCluster && program.facts !== undefined) ||
    [facts.observedGeneration, facts.statusReplicas, ready].some((one) => one !== undefined);
  return isSeen ? { state: 'down', because: `${title} has no ready pod` } : notSeen(title);
}

function notReadInWords(kinds: readonly string[]): string {
  return `${kinds.join(', ')} were not read in every namespace`;
}

function notSeen(title: string) {
  return { state: 'unread', because: `the status of ${title} was not read` } as const;
}

/** Does a workload or a pod look like the controller, by its name, its labels or its images? */
export function looksLike(record: ObjectRecord, controller: FinalizerController): boolean {
  return runsController(record, controller, imagesOf(record));
}

export function imagesOf({ facts }: ObjectRecord): readonly string[] {
  return (facts?.containers ?? []).flatMap(({ image }) => image ?? []);
}

/** Workloads, and pods that no workload made. */
export function isProgram({ type, ownerReferences }: ObjectRecord): boolean {
  const resource = groupResourceOf(type);
  if (!programKinds.includes(resource)) return false;
  return resource !== 'pods' || ownerReferences.length === 0;
}

/** Pods that none of these workloads made: they may be programs themselves. */
export function podsAlone(records: readonly ObjectRecord[]): ObjectRecord[] {
  const workloads = new Set(records.map(fullNameOf));
  return records.filter((record) => {
    if (!isPod(record)) return false;
    const { kind, name } = bearerOf(record);
    const { namespace } = record;
    return kind === 'Pod' || !workloads.has(fullNameOf({ kind, namespace, name }));
  });
}

function isMadeBy(pod: ObjectRecord, workloads: readonly ObjectRecord[]): boolean {
  const bearer = bearerOf(pod);
  return workloads.some(
    ({ type, namespace, name }) =>
      type.kind === bearer.kind && namespace === pod.namespace && name === bearer.name,
  );
}

const ownLeases: Readonly<Record<FinalizerController['runsIn'], readonly string[]>> = {
  'kube-controller-manager': ['kube-controller-manager'],
  'kube-apiserver': [],
  workload: [],
};

function isLeaseOf(
  { namespace, name }: ObjectRecord,
  controller: FinalizerController,
  found: readonly ObjectRecord[],
  traces: FinalizerTraces | undefined,
): boolean {
  const names = [...(controller.leases ?? []), ...ownLeases[controller.runsIn]];
  return (
    names.some((pattern) => matchesPattern(pattern, name)) ||
    found.some((program) => program.name === name && program.namespace === namespace) ||
    (traces !== undefined && isNamedIn(name, traces))
  );
}

/** The workload of a pod, by its controller: a ReplicaSet is named after its Deployment and a hash. */
export function bearerOf(pod: ObjectRecord): Pick<ObjectReference, 'kind' | 'name'> {
  const { type, name, labels, ownerReferences } = pod;
  const controller = ownerReferences.find((reference) => reference.controller === true);
  if (!controller) return { kind: type.kind, name };
  const hash = `-${labels?.['pod-template-hash'] ?? ''}`;
  return controller.kind === 'ReplicaSet' && controller.name.endsWith(hash)
    ? { kind: 'Deployment', name: controller.name.slice(0, -hash.length) }
    : { kind: controller.kind, name: controller.name };
}

/** Pods of a workload, or the pod that it is, with a container that ends again and again. */
export function crashLoopingPods(
  workload: ObjectRecord,
  records: readonly ObjectRecord[],
): ObjectRecord[] {
  return records.filter((pod) => {
    if (!isPod(pod) || pod.namespace !== workload.namespace) return false;
    if (crashLoopOf(pod) === undefined) return false;
    const { kind, name } = bearerOf(pod);
    return kind === workload.type.kind && name === workload.name;
  });
}

/**
 * As the column STATUS of kubectl calls it (ErrCrashLoopBackOff, pkg/kubelet/container/sync_result.go): of an init
 * container, which a sidecar is too, with `Init:`. Undefined of a pod without a container that ends again and again.
 */
export function crashLoopOf({
  facts: { containerStatuses = [], initContainerStatuses = [] } = {},
}: ObjectRecord): string | undefined {
  const loops = (one: ContainerStatus) => one.waitingReason === reason;
  if (containerStatuses.some(loops)) return reason;
  return initContainerStatuses.some(loops) ? `Init:${reason}` : undefined;
}

const reason = 'CrashLoopBackOff';

/**
 * `; Pod db-operator-0 is in CrashLoopBackOff`, behind what says that a program has no ready pod.
 * @internal
 */
export function crashLoopsInWords(pods: readonly ObjectRecord[]): string {
  return pods
    .slice(0, 3)
    .map((pod) => `; Pod ${pod.name} is in ${crashLoopOf(pod)}`)
    .join('');
}

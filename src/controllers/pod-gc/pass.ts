import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf } from '../../kube/pod-use.ts';
import { isOutOfService, isPod, isPodTerminal, isReady } from '../../kube/well-known-kinds.ts';
import type { DeletionOptions, PatchRequest } from '../controller.ts';
import { byCreationAndName, disruptionTarget } from '../decision.ts';

/** The steps of a pass, named as in its metrics (PG-23). */
export type PodGcStep = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface PodGcInput {
  readonly pods: readonly ObjectRecord[];
  /** As the controller's cache has it. */
  cachedNode(name: string): ObjectRecord | undefined;
  /** What a GET of the Node finds. */
  nodeExists(name: string): boolean;
}

export interface Chosen {
  readonly pod: ObjectRecord;
  readonly step: PodGcStep;
  /** Which of the tied Pods is deleted is undetermined (PG-6). */
  readonly tied: boolean;
}

interface PodGcPass {
  readonly chosen: readonly Chosen[];
  readonly terminated: number;
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * One pass, mirroring gc, pkg/controller/podgc/gc_controller.go: four steps over the same pods (PG-2).
 * A pod may be chosen by several. `now` in epoch milliseconds.
 */
export function podGcPass(
  input: PodGcInput,
  threshold: number,
  now: number,
  quarantine: ReadonlyMap<string, number>,
  missing: ReadonlySet<string> = missingNodes(input),
): PodGcPass {
  const { pods } = input;
  const excess = terminatedExcess(pods, threshold);
  const round = quarantineRound(quarantine, missing, now, {
    isCached: (name) => input.cachedNode(name) !== undefined,
    exists: (name) => input.nodeExists(name),
  });
  const chosen = (step: PodGcStep, list: readonly ObjectRecord[]): Chosen[] =>
    list.map((pod) => ({ pod, step, tied: step === 'terminated' && excess.tied.has(pod) }));
  return {
    terminated: excess.terminated,
    quarantine: round.quarantine,
    chosen: [
      ...chosen('terminated', excess.chosen),
      ...chosen('out-of-service', outOfServicePods(input)),
      ...chosen(
        'orphaned',
        round.confirmed.size === 0
          ? []
          : pods.filter((pod) => round.confirmed.has(knownNodeOf(pod) ?? '')),
      ),
      ...chosen('unscheduled', pods.filter(isUnscheduledTerminating)),
    ],
  };
}

/** PG-12: names that bound pods give and no cached Node has. */
export function missingNodes({ pods, cachedNode }: PodGcInput): Set<string> {
  const names = new Set<string>();
  pods.forEach((pod) => {
    const name = knownNodeOf(pod);
    if (name !== undefined) names.add(name);
  });
  for (const name of names) if (cachedNode(name)) names.delete(name);
  return names;
}

/** PG-9 to PG-11. */
function outOfServicePods({ pods, cachedNode }: PodGcInput): ObjectRecord[] {
  return pods
    .filter((pod) => {
      if (!isBeingDeleted(pod)) return false;
      const node = cachedNode(knownNodeOf(pod) ?? '');
      return node !== undefined && !isReady(node) && isOutOfService(node);
    })
    .sort(byEvictionAndCreation);
}

/** PG-17. */
function isUnscheduledTerminating(pod: ObjectRecord): boolean {
  return isBeingDeleted(pod) && nodeNameOf(pod) === '';
}

/** How long a missing Node is watched before its Pods are deleted (PG-12). */
export const quarantineTime = 40_000;

interface QuarantineRound {
  /** Names of Nodes that certainly do not exist: their Pods are deleted now. */
  readonly confirmed: ReadonlySet<string>;
  /** When each quarantine ends, for the next pass. */
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * Mirrors discoverDeletedNodes, pkg/controller/podgc/gc_controller.go: the missing names are armed first,
 * where an earlier end stays, so that a name that has just become due is armed once more (PG-12 to PG-14).
 */
function quarantineRound(
  before: ReadonlyMap<string, number>,
  missing: Iterable<string>,
  now: number,
  nodes: { isCached(name: string): boolean; exists(name: string): boolean },
): QuarantineRound {
  const quarantine = new Map<string, number>();
  const due: string[] = [];
  for (const [name, end] of before) {
    if (end <= now) due.push(name);
    else quarantine.set(name, end);
  }
  for (const name of missing) {
    if (!quarantine.has(name)) quarantine.set(name, now + quarantineTime);
  }
  const confirmed = due.filter((name) => !nodes.isCached(name) && !nodes.exists(name));
  return { confirmed: new Set(confirmed), quarantine };
}

const alive = new Set(['Pending', 'Running', 'Unknown']);

/** A field selector for the pods that are terminated. */
export const endedPods = [...alive].map((phase) => `status.phase!=${phase}`).join(',');

/** Mirrors isPodTerminated, pkg/controller/podgc/gc_controller.go: no phase counts, too (PG-4). */
export function isTerminated({ facts }: ObjectRecord): boolean {
  return !alive.has(facts?.phase ?? '');
}

export function isEvicted({ facts }: ObjectRecord): boolean {
  return facts?.phase === 'Failed' && facts.reason === 'Evicted';
}

/** Evicted ones first, then the older, then by name; namespaces do not count (PG-6). */
export function byEvictionAndCreation(a: ObjectRecord, b: ObjectRecord): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  return byCreationAndName(a, b);
}

interface Excess {
  readonly terminated: number;
  /** Those that are deleted, in upstream's order. */
  readonly chosen: readonly ObjectRecord[];
  /** Of the chosen and the spared, those that upstream orders by chance (PG-6). */
  readonly tied: ReadonlySet<ObjectRecord>;
}

/** The terminated pods above the threshold (PG-5). */
export function terminatedExcess(pods: readonly ObjectRecord[], threshold: number): Excess {
  const terminated = pods.filter(isTerminated);
  const count = threshold > 0 ? terminated.length - threshold : 0;
  if (count <= 0) return { terminated: terminated.length, chosen: [], tied: new Set() };
  const sorted = terminated.sort(byEvictionAndCreation);
  const [last, next] = [sorted[count - 1], sorted[count]];
  const isTie = last && next && byEvictionAndCreation(last, next) === 0;
  return {
    terminated: sorted.length,
    chosen: sorted.slice(0, count),
    tied: new Set(isTie ? sorted.filter((pod) => byEvictionAndCreation(pod, last) === 0) : []),
  };
}

/** Upstream forces every deletion (PG-22). */
export const podGcDeleteOptions: DeletionOptions = { gracePeriodSeconds: 0 };

/**
 * The patch of the status before the deletion: Failed, unless the Pod has ended (PG-20), and the reason of the
 * disruption if its Node does not exist (PG-21).
 */
export function statusPatchOf(
  pod: ObjectRecord,
  step: PodGcStep,
  now: number,
): PatchRequest | undefined {
  if (isPodTerminal(pod)) return undefined;
  if (step !== 'orphaned') return { subresource: 'status', body: { status: { phase: 'Failed' } } };
  const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  const condition = disruptionTarget(pod, why, now);
  return { subresource: 'status', body: { status: { phase: 'Failed', conditions: [condition] } } };
}

/** The Pods that have ended, in the order in which pod garbage collection deletes them above its threshold (PG-6). */
export interface EndedPods {
  readonly pods: readonly ObjectRecord[];
  /** How many are above the threshold now; negative: as many more may end before the first is deleted. */
  readonly above: number;
}

export const noEndedPods: EndedPods = { pods: [], above: 0 };

/**
 * The Pods of a cluster that have ended. `threshold` undefined: it could not be read. Then the cluster may be at it: all that
 * were above it are being deleted already.
 */
export function endedPodsIn(
  records: Iterable<ObjectRecord>,
  threshold: number | undefined,
): EndedPods {
  // 0 and less turn the step off.
  if (threshold !== undefined && threshold <= 0) return noEndedPods;
  const pods = [...records]
    .filter((record) => isPod(record) && record.facts !== undefined && isTerminated(record))
    .sort(byEvictionAndCreation);
  if (threshold !== undefined) return { pods, above: pods.length - threshold };
  const alive = pods.findIndex((pod) => !isBeingDeleted(pod));
  return { pods, above: alive < 0 ? pods.length : alive };
}

/** The ended Pods that may be deleted because so many more Pods end, and stay while a finalizer blocks them. */
export function deletedAsMoreEnd({ pods, above }: EndedPods, more: number): ObjectRecord[] {
  const count = above + more;
  const last = more > 0 ? pods[Math.min(count, pods.length) - 1] : undefined;
  if (!last) return [];
  return pods.filter(
    (pod, at) => !isBeingDeleted(pod) && (at < count || byEvictionAndCreation(pod, last) === 0),
  );
}

import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf } from '../../kube/pod-use.ts';
import { isOutOfService, isReady } from './node-state.ts';
import { quarantineRound } from './quarantine.ts';
import { byEvictionAndCreation, excessOf } from './terminated-pods.ts';

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
  /** Which of the tied pods goes is left to chance (PG-6). */
  readonly tied: boolean;
}

export interface PodGcPass {
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
): PodGcPass {
  const { pods } = input;
  const excess = excessOf(pods, threshold);
  const round = quarantineRound(quarantine, missingNodes(input), now, {
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
        pods.filter((pod) => round.confirmed.has(knownNodeOf(pod) ?? '')),
      ),
      ...chosen('unscheduled', pods.filter(isUnscheduledTerminating)),
    ],
  };
}

/** PG-12: names that bound pods give and no cached Node has. */
export function missingNodes({ pods, cachedNode }: PodGcInput): Set<string> {
  const names = new Set(pods.flatMap((pod) => knownNodeOf(pod) ?? []));
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

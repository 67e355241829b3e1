import type { Decision } from '../../controllers/controller.ts';
import { podGcPeriod } from '../../controllers/pod-gc/forecast.ts';
import {
  type Chosen,
  isTerminated,
  missingNodes,
  podGcDeleteOptions,
  podGcPass,
  quarantineTime,
  statusPatchOf,
  terminatedExcess,
} from '../../controllers/pod-gc/pass.ts';
import {
  podGarbageCollector,
  podGcInputOf,
  podGcReason,
  podGcRule,
} from '../../controllers/pod-gc/pod-gc.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { isNode, isOutOfService, isPod } from '../../kube/well-known-kinds.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import type { Due, Look, PeriodicController } from './periodic-controller.ts';

const { id } = podGarbageCollector;

/** Runs one pass after another, with the quarantine of missing nodes in its memory (PG-1, PG-12 to PG-15). */
export const podGc: PeriodicController = {
  id,
  controller: 'pod-garbage-collector-controller',
  reads: podGarbageCollector.reads,
  passes: { period: podGcPeriod, afterStart: (pause) => pause },
  concerns: (record, state) => (isPod(record) ? mayGo(record, state) : isOutOfService(record)),
  // Only a Node: a pod that goes never makes another object a case.
  misses: isNode,
  groupOf: (record) => (isPod(record) && isTerminated(record) ? 'terminated' : undefined),
  begin: beginPasses,
};

/** A pod that has ended counts towards the threshold, even if another pod is then deleted. */
function mayGo(pod: ObjectRecord, state: ClusterState): boolean {
  if (pod.facts === undefined) return false;
  if (isTerminated(pod)) return true;
  const nodeName = nodeNameOf(pod);
  if (nodeName === notRead) return false;
  if (nodeName === '') return isBeingDeleted(pod);
  const node = state.at('nodes', '', nodeName);
  return node === undefined || (isBeingDeleted(pod) && isOutOfService(node));
}

function beginPasses(): Look {
  let quarantine: ReadonlyMap<string, number> = new Map();
  let isFirst = true;
  const missingSince = new Map<string, { readonly since: number; readonly isOld: boolean }>();
  return (view, { terminatedPodGCThreshold: threshold }, { now, since, ranBefore }) => {
    const input = podGcInputOf(view);
    const missing = missingNodes(input);
    for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
    for (const name of missing) {
      if (!missingSince.has(name)) missingSince.set(name, { since, isOld: isFirst && ranBefore });
    }
    isFirst = false;
    const pass = podGcPass(input, threshold, now, quarantine);
    quarantine = pass.quarantine;

    const due = (one: Chosen, at: number): Due => {
      const patch = statusPatchOf(one.pod, one.step, at);
      const range = one.step === 'orphaned' ? orphaned(one.pod, at) : plain;
      const tie = '; another one has the same creation time and name, and one of them stays';
      const decision: Decision = {
        collector: id,
        object: one.pod,
        action: 'delete',
        ...(patch && { patch }),
        options: podGcDeleteOptions,
        notBefore: range.from,
        notAfter: range.to,
        confidence: one.tied ? 'unknown' : 'certain',
        because: podGcReason({ ...one, pass: 0 }, threshold) + (one.tied ? tie : ''),
        rule: podGcRule({ ...one, pass: 0 }),
      };
      return { decision, at, ...range, inGroup: one.step === 'terminated' };
    };
    const plain = { from: ranBefore ? since : now, to: ranBefore ? since + podGcPeriod : now };
    // A quarantine may end just after a pass has begun; it waits for the next one then (PG-15).
    const orphaned = (pod: ObjectRecord, at: number) => {
      const found = missingSince.get(knownNodeOf(pod) ?? '');
      if (!found || !ranBefore) return { from: at, to: at + podGcPeriod };
      const from = found.isOld ? found.since : found.since + quarantineTime;
      return { from, to: found.since + quarantineTime + (found.isOld ? 1 : 2) * podGcPeriod };
    };
    const chosen = new Set(pass.chosen.map(({ pod }) => pod));
    const waiting = input.pods.filter((pod) => isWaiting(pod) && !chosen.has(pod));
    return [
      ...pass.chosen.map((one) => due(one, now)),
      ...tiedWith(pass.chosen).map((pod) => due({ pod, step: 'terminated', tied: true }, now)),
      ...waiting.map((pod) =>
        due({ pod, step: 'orphaned', tied: false }, quarantine.get(knownNodeOf(pod) ?? '') ?? now),
      ),
    ];

    function isWaiting(pod: ObjectRecord): boolean {
      const name = knownNodeOf(pod) ?? '';
      return missing.has(name) && !input.nodeExists(name);
    }

    /** The pods that tie with chosen ones and are spared by chance in this run. */
    function tiedWith(all: readonly Chosen[]): ObjectRecord[] {
      if (!all.some(({ tied }) => tied)) return [];
      return [...terminatedExcess(input.pods, threshold).tied].filter((pod) => !chosen.has(pod));
    }
  };
}

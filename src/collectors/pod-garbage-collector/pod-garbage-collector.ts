import { knownNodeOf } from '../../kube/pod-use.ts';
import type { CollectorSettings } from '../../settings/collector-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Collector, Decision, PatchRequest } from '../collector.ts';
import type { CollectorMemory } from '../collector-memory.ts';
import { becauseOf, ruleOf } from './because.ts';
import { podGcDeleteOptions, statusPatchOf } from './deletion.ts';
import { type Foreseen, foresee } from './foreseen.ts';
import type { PodGcInput, PodGcStep } from './pass.ts';

const id = 'pod-garbage-collector';

export interface PodGcDecision extends Decision {
  readonly step: PodGcStep;
}

/** Deletes pods that have ended, above a threshold, and those that no kubelet looks after (PG-1 to PG-22). */
export const podGarbageCollector = {
  id,
  controllers: ['pod-garbage-collector-controller'],
  reads: ['pods', 'nodes'],
  decide(
    view: ClusterView,
    { terminatedPodGCThreshold: threshold }: CollectorSettings,
    now: number,
    memory?: CollectorMemory,
  ): readonly PodGcDecision[] {
    const input = podGcInputOf(view);
    return foresee(input, view, threshold, now, memory)
      .map((one) => decisionOf(view, one, threshold))
      .sort((a, b) => a.notBefore - b.notBefore);
  },
} satisfies Collector;

/** Every object of the view that a pass looks at; manifests and bare metadata say too little. */
export function podGcInputOf(view: ClusterView): PodGcInput {
  return {
    pods: view.all('pods').filter(({ facts }) => facts !== undefined),
    cachedNode: (name) => view.at('nodes', '', name),
    nodeExists: (name) =>
      !view.covers('nodes', '', name) || view.at('nodes', '', name) !== undefined,
  };
}

function decisionOf(view: ClusterView, one: Foreseen, threshold: number): PodGcDecision {
  const { pod, first, last, notBefore, notAfter } = one;
  const doubt = doubtOf(view, one);
  const patch = patchOf(one);
  const other =
    last && last.step !== first.step
      ? `; or, if that comes first, ${becauseOf(last, threshold)}`
      : '';
  return {
    collector: id,
    step: first.step,
    object: pod,
    action: 'delete',
    ...(patch && { patch }),
    options: podGcDeleteOptions,
    notBefore,
    notAfter,
    confidence: doubt === undefined ? 'certain' : 'unknown',
    because: becauseOf(first, threshold) + other + (doubt === undefined ? '' : `; ${doubt}`),
    rule: ruleOf(first),
  };
}

/** Where two steps may choose the pod, what both write. */
function patchOf({ pod, first, last, notBefore }: Foreseen): PatchRequest | undefined {
  const isOrphan = first.step === 'orphaned' && (last === undefined || last.step === 'orphaned');
  return statusPatchOf(pod, isOrphan ? 'orphaned' : 'terminated', notBefore);
}

function doubtOf(view: ClusterView, { pod, first, last }: Foreseen): string | undefined {
  const { step, tied } = first;
  const nodeName = knownNodeOf(pod) ?? '';
  if (step === 'orphaned' && !view.covers('nodes', '', nodeName)) {
    return 'Nodes could not be read, so it may be there';
  }
  if (tied)
    return 'another terminated pod has the same creation time and name, and which goes first is left to chance';
  if (step === 'terminated' && !view.covers('pods', '', '')) {
    return 'pods of other namespaces could not be read, and they are counted as well';
  }
  if (last === undefined)
    return 'it depends on when quarantines end, which only the controller knows';
  return undefined;
}

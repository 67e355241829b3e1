import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ControllerMemory, Decision, PassController, PatchRequest } from '../controller.ts';
import { forecastPods, type PassDeletion, type PodForecast } from './forecast.ts';
import {
  isEvicted,
  type PodGcInput,
  type PodGcStep,
  podGcDeleteOptions,
  statusPatchOf,
} from './pass.ts';

const id = 'pod-garbage-collector';

/** The steps of a pass, in their order (PG-2). */
const order: Readonly<Record<PodGcStep, number>> = {
  terminated: 0,
  'out-of-service': 1,
  orphaned: 2,
  unscheduled: 3,
};

export interface PodGcDecision extends Decision {
  readonly step: PodGcStep;
  /** The pod may be on a Node that exists: it was not read. */
  readonly isNodeUnread: boolean;
}

/**
 * Deletes pods that have ended, above a threshold, and pods without a kubelet to terminate them
 * (PG-1 to PG-22).
 */
export const podGarbageCollector = {
  id,
  controllers: ['pod-garbage-collector-controller'],
  reads: ['pods', 'nodes'],
  pass(
    view: ClusterView,
    { terminatedPodGCThreshold: threshold }: ControllerSettings,
    now: number,
    memory?: ControllerMemory,
  ): readonly PodGcDecision[] {
    const input = podGcInputOf(view);
    return forecastPods(input, threshold, now, memory)
      .map((one) => decisionOf(view, one, threshold))
      .sort((a, b) => a.notBefore - b.notBefore || order[a.step] - order[b.step]);
  },
} satisfies PassController;

/** Every object of the view that a pass looks at; manifests and bare metadata say too little. */
export function podGcInputOf(view: ClusterView): PodGcInput {
  return {
    pods: view.all('pods').filter(({ facts }) => facts !== undefined),
    cachedNode: (name) => view.at('nodes', '', name),
    nodeExists: (name) =>
      !view.covers('nodes', '', name) || view.at('nodes', '', name) !== undefined,
  };
}

function decisionOf(view: ClusterView, one: PodForecast, threshold: number): PodGcDecision {
  const { pod, first, last, notBefore, notAfter } = one;
  const doubt = doubtOf(view, one);
  const node = knownNodeOf(pod) ?? '';
  const isNodeUnread = first.step === 'orphaned' && !view.covers('nodes', '', node);
  const patch = phasePatch(one);
  const other =
    last && last.step !== first.step
      ? `; or, if that comes first, ${podGcReason(pod, last, threshold)}`
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
    confidence: doubt === undefined && !isNodeUnread ? 'certain' : 'unknown',
    because: isNodeUnread
      ? `whether its Node ${node} exists was not read; if it does not, pod garbage collection deletes the pod`
      : podGcReason(pod, first, threshold) + other + (doubt === undefined ? '' : `; ${doubt}`),
    isNodeUnread,
    rule: podGcRule(first),
  };
}

/** Where two steps may choose the pod, what both write. */
function phasePatch({ pod, first, last, notBefore }: PodForecast): PatchRequest | undefined {
  const isOrphan = first.step === 'orphaned' && (last === undefined || last.step === 'orphaned');
  return statusPatchOf(pod, isOrphan ? 'orphaned' : 'terminated', notBefore);
}

function doubtOf(view: ClusterView, { first, last }: PodForecast): string | undefined {
  const { step, tied } = first;
  if (tied)
    return 'another terminated Pod has the same creation time and name, so their order is random';
  if (step === 'terminated' && !view.covers('pods', '', '')) {
    return 'pods of other namespaces could not be read, and they are counted as well';
  }
  if (last === undefined)
    return 'it depends on when quarantines end, which only the controller knows';
  return undefined;
}

function podGcRule({ step, pass }: Pick<PassDeletion, 'step' | 'pass'>): string {
  switch (step) {
    case 'terminated':
      return pass === 0 ? 'PG-5' : 'PG-8';
    case 'out-of-service':
      return 'PG-10';
    case 'orphaned':
      return 'PG-16';
    case 'unscheduled':
      return 'PG-17';
  }
}

/** Why a pod is chosen, in words that end without a stop. */
function podGcReason(
  pod: ObjectRecord,
  { step, pass }: Pick<PassDeletion, 'step' | 'pass'>,
  threshold: number,
): string {
  const node = knownNodeOf(pod) ?? '';
  const phase = pod.facts?.phase ?? '';
  const blockers =
    pod.finalizers.length > 0 ? `; it stays until ${pod.finalizers.join(', ')} is removed` : '';
  switch (step) {
    case 'terminated': {
      const state = isEvicted(pod) ? 'Evicted' : phase === '' ? 'without a phase' : phase;
      const first = isEvicted(pod)
        ? 'evicted Pods are deleted first, then the oldest'
        : 'the oldest are deleted first';
      const wave = pass > 0 ? ', once pods that the pass before left Failed count as well' : '';
      return `it is ${state}, and more than ${threshold} ${threshold === 1 ? 'pod has' : 'pods have'} ended${wave}; ${first}${blockers}`;
    }
    case 'out-of-service':
      return `it is being deleted on Node ${node}, which is not ready and has the taint node.kubernetes.io/out-of-service${blockers}`;
    case 'orphaned':
      return `it is bound to Node ${node}, which does not exist${blockers}`;
    case 'unscheduled':
      return `it is being deleted and bound to no Node${blockers}`;
  }
}

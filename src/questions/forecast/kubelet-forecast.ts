import { kubeletControllers } from '../../controllers/controller.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { type KubeletStep, kubeletTimeline } from '../../kubelet/kubelet-timeline.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import { wholeSeconds } from '../../simulator/engine/timeline.ts';
import {
  containerReasonInWords,
  imageReasonInWords,
  nodeHead,
  sandboxReasonsInWords,
} from '../nodes/node-document.ts';
import type { ForecastController, ForecastItem, ForecastReport } from './document.ts';

export interface KubeletForecastOptions {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Milliseconds from now. */
  readonly within: number;
  readonly shows: (collector: string) => boolean;
  /** Only containers of pods in this namespace; undefined: all of them, and images. */
  readonly namespace?: string | undefined;
}

/** What kubelets remove, as a forecast. */
export function kubeletForecast(
  facts: readonly NodeFacts[],
  options: KubeletForecastOptions,
): ForecastReport {
  const { now, within, shows, namespace } = options;
  const until = now + within;
  const items = facts
    .flatMap((one) => kubeletTimeline(one, { now, until }).map((step) => itemOf(step, one)))
    .filter(({ collector }) => shows(collector))
    .filter(({ object }) => namespace === undefined || object.namespace === namespace)
    .sort(byTime);
  const counts = Map.groupBy(items, ({ collector }) => collector);
  return {
    ...nodeHead('Forecast', facts),
    at: timestampOf(now),
    until: timestampOf(until),
    collectors: kubeletSources(shows, counts),
    items,
    undetermined: [],
    unknown: [],
    leftovers: [],
  };
}

/** `found`: what they remove; undefined where they were not asked. */
function kubeletSources(
  shows: KubeletForecastOptions['shows'],
  found?: ReadonlyMap<string, readonly ForecastItem[]>,
): ForecastController[] {
  return kubeletControllers.filter(shows).map((id) => ({
    id,
    enabled: true,
    simulated: true,
    items: found?.get(id)?.length ?? 0,
    unread: found ? [] : ['nodes/proxy'],
    withoutFacts: [],
  }));
}

/** One forecast of a cluster and its kubelets; undefined: these were not asked. */
export function withKubelets(
  cluster: ForecastReport,
  kubelets: ForecastReport | undefined,
  shows: KubeletForecastOptions['shows'],
): ForecastReport {
  const { coverage } = cluster;
  const problems = [...coverage.problems, ...(kubelets?.coverage.problems ?? [])];
  return {
    ...cluster,
    coverage: { ...coverage, complete: problems.length === 0, problems },
    collectors: [...cluster.collectors, ...(kubelets?.collectors ?? kubeletSources(shows))],
    items: [...cluster.items, ...(kubelets?.items ?? [])].sort(byTime),
  };
}

const never = '9999';

function byTime(a: ForecastItem, b: ForecastItem): number {
  return (
    compareText(a.notBefore, b.notBefore) || compareText(a.notAfter ?? never, b.notAfter ?? never)
  );
}

function itemOf(step: KubeletStep, facts: NodeFacts): ForecastItem {
  return {
    collector: step.kind === 'image' ? 'image-gc' : 'container-gc',
    action: 'delete',
    object: runtimeObject(step),
    node: facts.node,
    ...(step.kind === 'image' && { sizeBytes: step.image.size }),
    ...wholeSeconds({ from: step.notBefore, to: step.notAfter }),
    confidence: step.certain ? 'certain' : 'unknown',
    finalizers: [],
    because: `on ${facts.node}: ${removalReason(step, facts)}`,
    rule: step.rule,
  };
}

/** Runtimes have no objects with an apiVersion; the one of their interface names them. */
function runtimeObject(step: KubeletStep): ObjectReference {
  const apiVersion = 'runtime.v1';
  if (step.kind === 'image') {
    const { id = '', names } = step.image.image;
    return { apiVersion, kind: 'Image', namespace: '', name: names[0] ?? id, uid: id };
  }
  const { pod, id } = step.kind === 'container' ? step.container : step.sandbox;
  const [namespace = '', name = ''] = pod.split('/');
  if (step.kind === 'sandbox') return { apiVersion, kind: 'PodSandbox', namespace, name, uid: id };
  const full = name === '' ? step.container.name : `${name}/${step.container.name}`;
  return { apiVersion, kind: 'Container', namespace, name: full, uid: id };
}

function removalReason(step: KubeletStep, { settings }: NodeFacts): string {
  const eviction = step.eviction === undefined ? '' : `${step.eviction} is met: `;
  if (step.kind === 'container') {
    return `${eviction}${containerReasonInWords(step.reason, settings.containers)}`;
  }
  if (step.kind === 'sandbox') return `${eviction}${sandboxReasonsInWords[step.reason]}`;
  return step.eviction === undefined
    ? imageReasonInWords(step.reason, settings.images, step.image.users).because
    : `${eviction}it is unused`;
}

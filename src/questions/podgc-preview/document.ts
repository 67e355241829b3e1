import { viewOf } from '../../controllers/cluster-view.ts';
import type { ControllerMemory, Decided } from '../../controllers/controller.ts';
import type { PodGcStep } from '../../controllers/pod-gc/pass.ts';
import {
  type PodGcDecision,
  podGarbageCollector,
  podGcInputOf,
} from '../../controllers/pod-gc/pod-gc.ts';
import type { Refusals } from '../../deletion/plan/proven-refusals.ts';
import { picked } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { timestampOf } from '../../kube/time.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
import { type TimeRange, wholeSeconds } from '../../simulator/engine/timeline.ts';
import { countingHead, type DocumentHead, type Snapshot } from '../../snapshot/snapshot.ts';
import { beyondOwnThreshold, type GroupBy, stepsOf, waitingPods } from './preview.ts';

/** `podgc-preview`: what pod garbage collection deletes, in its order, and what it leaves. */
export interface PodGcPreview extends DocumentHead<'PodGCPreview'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  readonly settings: {
    readonly enabled: boolean;
    readonly terminatedPodGCThreshold: number;
    readonly source: ThresholdSource;
  };
  readonly steps: readonly {
    readonly step: PodGcStep;
    readonly pods: number;
    /** Was all read that is counted here? */
    readonly complete: boolean;
    readonly because: string;
  }[];
  readonly items: readonly PodGcItem[];
  readonly waiting: readonly PodGcWaiting[];
  /** Pods of which it is unknown whether it deletes them, because their Nodes were not read. */
  readonly unknown: readonly PodGcWaiting[];
  /** Only with a threshold of one's own. */
  readonly ownThreshold?: OwnThreshold;
}

export type ThresholdSource = 'flag' | 'settings' | 'cluster' | 'default';

export interface PodGcItem extends PodGcWaiting, Pick<Decided, 'patch' | 'confidence'>, TimeRange {
  /** Counted from 1. */
  readonly order: number;
  readonly step: PodGcStep;
  /** RFC 3339; no latest time: it may not happen at all. */
  readonly notAfter?: string;
  readonly finalizers: readonly string[];
  /** Why the API server refuses its deletion to every client, so that nothing changes. */
  readonly refused?: string;
}

export interface PodGcWaiting extends Pick<Decided, 'because' | 'rule'> {
  readonly object: ObjectReference;
  readonly phase: string;
  readonly node: string;
}

export interface OwnThreshold {
  readonly keep: number;
  readonly per: GroupBy;
  readonly items: readonly (Pick<PodGcWaiting, 'object' | 'phase' | 'because'> & {
    readonly group: string;
  })[];
}

export interface PodGcPreviewOptions {
  readonly now: number;
  readonly settings: ControllerSettings;
  readonly source: ThresholdSource;
  readonly memory?: ControllerMemory;
  /** Which pods are shown and counted; how many have ended is counted everywhere. */
  readonly scope?: (record: ObjectRecord) => boolean;
  readonly own?: { readonly keep: number; readonly per: GroupBy };
}

export function podGcPreview(snapshot: Snapshot, options: PodGcPreviewOptions): PodGcPreview {
  const { now, settings, source, scope = () => true } = options;
  const view = viewOf(snapshot);
  const enabled = enabledControllers(settings.controllers)('pod-garbage-collector-controller');
  const threshold = settings.terminatedPodGCThreshold;
  const decisions = enabled ? podGarbageCollector.pass(view, settings, now, options.memory) : [];
  const items = decisions.filter(({ isNodeUnread }) => !isNodeUnread).map(podGcItem);
  const shown = items.filter(({ object }) => {
    const record = view.at('pods', object.namespace, object.name);
    return record !== undefined && scope(record);
  });
  const unknown = decisions.filter(({ isNodeUnread, object }) => isNodeUnread && scope(object));
  const input = podGcInputOf(view);
  const bare = view.all('pods').length - input.pods.length;
  const isRead = view.covers('pods', '', '') && bare === 0;
  const isNodeRead = input.pods.every((pod) => {
    const node = knownNodeOf(pod);
    return node === undefined || view.covers('nodes', '', node);
  });
  const chosen = new Set(items.map(({ object }) => object.uid));
  const waiting = enabled ? waitingPods(input, chosen, now).filter(({ pod }) => scope(pod)) : [];
  return {
    ...countingHead('PodGCPreview', snapshot, { kinds: decidedBy }),
    at: timestampOf(now),
    settings: { enabled, terminatedPodGCThreshold: threshold, source },
    steps: stepsOf(input, threshold, shown, bare).map((one) => ({
      ...one,
      complete: isRead && (isNodeRead || !decidedByNodes.has(one.step)),
    })),
    items: shown,
    waiting: waiting.map(({ pod, because, rule }) => ({ ...headOfPod(pod), because, rule })),
    unknown: unknown.map(({ object, because, rule }) => ({ ...headOfPod(object), because, rule })),
    ...(options.own && { ownThreshold: ownThreshold(input.pods.filter(scope), options.own) }),
  };
}

/** The same where webhooks and what answers behind them were read apart. */
export function withRefusedPods(report: PodGcPreview, refusals: Refusals): PodGcPreview {
  if (refusals.size === 0) return report;
  const items = report.items.map((item): PodGcItem => {
    const refused = refusals.get(item.object.uid)?.because;
    return refused === undefined ? item : { ...item, refused };
  });
  return { ...report, items };
}

const decidedBy: ReadonlySet<string> = new Set(['pods', 'nodes']);
const decidedByNodes: ReadonlySet<PodGcStep> = new Set(['out-of-service', 'orphaned']);

function podGcItem(decision: PodGcDecision, index: number): PodGcItem {
  return {
    order: index + 1,
    step: decision.step,
    ...headOfPod(decision.object),
    ...wholeSeconds({ from: decision.notBefore, to: decision.notAfter }),
    ...picked(decision, 'patch'),
    finalizers: decision.object.finalizers,
    ...picked(decision, 'confidence', 'because', 'rule'),
  };
}

function ownThreshold(
  pods: readonly ObjectRecord[],
  { keep, per }: NonNullable<PodGcPreviewOptions['own']>,
): OwnThreshold {
  const items = beyondOwnThreshold(pods, keep, per).map(({ pod, group, because }) => ({
    object: referenceTo(pod),
    phase: pod.facts?.phase ?? '',
    group,
    because,
  }));
  return { keep, per, items };
}

function headOfPod(pod: ObjectRecord) {
  return { object: referenceTo(pod), phase: pod.facts?.phase ?? '', node: knownNodeOf(pod) ?? '' };
}

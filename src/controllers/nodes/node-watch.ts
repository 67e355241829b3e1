import type { ObjectRecord } from '../../kube/object-record.ts';
import { isReady, readyConditionOf } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision, PassContext, PassController, ScheduledDecision } from '../controller.ts';
import { leaseOfNode } from './node-lease.ts';
import { liftedTaints, nodeHealth, taintPause, zoneOf } from './node-lifecycle.ts';

/** In a play: monitors the health of Nodes and taints unhealthy ones (NODE-4 to NODE-6). */
export const nodeWatch: PassController = {
  id: 'node-lifecycle',
  controllers: ['node-lifecycle-controller'],
  reads: ['nodes'],
  pass: nodeHealth,
  needsPass: (node) => readyConditionOf(node)?.status !== undefined,
  // One that is Ready, and continues to report it, makes others a case only when that is new.
  isDueAtStart: (node, { kubelets }) => !kubelets || !isReady(node),
  triggersOnDelete: () => true,
  casesBy({ before, after }) {
    const isSame = before && after && readinessOf(before) === readinessOf(after);
    return isSame ? [] : ['nodes'];
  },
  caseOf: () => ['nodes'],
  begin() {
    let started: number | undefined;
    const slots = new Map<string, number>();
    return (view, settings, context) => {
      started ??= context.now;
      const silent = settings.kubelets ? [] : becomingUnknown(view, settings, context, started);
      // One that ran before has lifted them already.
      const lifted =
        context.isFirst && context.ranBefore
          ? []
          : liftedTaints(view, settings, context.now).map((one) =>
              dueFrom(one.notBefore, one.notAfter ?? one.notBefore, one),
            );
      return [...silent, ...lifted, ...taintings(view, settings, context, slots)];
    };
  },
};

/**
 * Without kubelets no Node posts its status any more. The health of a Node that never posted one is
 * unknown.
 */
function becomingUnknown(
  view: ClusterView,
  settings: ControllerSettings,
  { now, ranBefore }: PassContext,
  started: number,
): readonly ScheduledDecision[] {
  return view.all('nodes').flatMap((node) => {
    const heard = lastHeard(view, node);
    if (heard === undefined || readyConditionOf(node)?.status === 'Unknown') return [];
    // A controller that starts gives every Node its full grace period again.
    const end = (ranBefore ? heard : started) + settings.nodeMonitorGracePeriod;
    const from = Math.max(now, end);
    const isOverdue = end < started;
    const to =
      from + settings.nodeMonitorPeriod + (isOverdue ? settings.nodeMonitorGracePeriod : 0);
    return nodeHealth({ ...view, all: () => [node] }, settings, from, undefined)
      .filter(({ rule }) => rule === 'NODE-4')
      .map((decision) => dueFrom(from, to, decision));
  });
}

/** One Node of a zone after another; none where more than half of a small zone is not ready. */
function taintings(
  view: ClusterView,
  settings: ControllerSettings,
  { now }: PassContext,
  slots: Map<string, number>,
): readonly ScheduledDecision[] {
  const zones = [...Map.groupBy(view.all('nodes'), zoneOf)];
  const pauses = new Map(zones.map(([zone, own]) => [zone, taintPause(own, settings)] as const));
  const found = nodeHealth(view, withoutGracePeriods(settings), now, undefined).filter(
    ({ rule }) => rule === 'NODE-5',
  );
  return found.flatMap((decision): ScheduledDecision[] => {
    const { object } = decision;
    const wait = pauses.get(zoneOf(object));
    if (wait === undefined) return [];
    const taken = slots.get(object.uid);
    const last = slots.get(zoneOf(object));
    const at = taken ?? (last === undefined ? now : Math.max(now, last + wait));
    slots.set(object.uid, at).set(zoneOf(object), Math.max(at, last ?? at));
    return [dueFrom(at, at + settings.nodeMonitorPeriod, { ...decision, confidence: 'certain' })];
  });
}

/** Nodes are judged together. */
function dueFrom(from: number, to: number, decision: Decision): ScheduledDecision {
  return { decision, at: from, from, to, inGroup: true };
}

/** Settings under which no Node counts as silent; `becomingUnknown` decides about that. */
function withoutGracePeriods(settings: ControllerSettings): ControllerSettings {
  const never = Number.POSITIVE_INFINITY;
  return { ...settings, nodeMonitorGracePeriod: never, nodeStartupGracePeriod: never };
}

function readinessOf(node: ObjectRecord): string | undefined {
  return readyConditionOf(node)?.status;
}

/** Epoch milliseconds. */
function lastHeard(view: ClusterView, node: ObjectRecord): number | undefined {
  const ready = readyConditionOf(node);
  const lease = leaseOfNode(view, node);
  const times = [ready?.lastHeartbeatTime, lease?.facts?.renewTime].flatMap((time) =>
    time === undefined ? [] : Date.parse(time),
  );
  return ready && times.length > 0 ? Math.max(...times) : undefined;
}

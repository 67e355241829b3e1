import type { CollectorSettings } from '../../settings/collector-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Collector, Decision } from '../collector.ts';
import type { CollectorMemory } from '../collector-memory.ts';
import { becauseOf, ruleOf } from './because.ts';
import { podGcDeleteOptions, statusPatchOf } from './deletion.ts';
import { missingNodes, type PodGcInput, type PodGcStep } from './pass.ts';
import { type PlayedDeletion, playPasses, podGcPeriod } from './play-passes.ts';
import { quarantineTime } from './quarantine.ts';

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
    const { soonest, latest } = playBothWays(view, threshold, now, memory);
    const late = new Map(latest.map((one) => [one.pod.uid, one]));
    const sure = soonest.map((one) => decisionOf(one, late.get(one.pod.uid)));
    const early = new Set(soonest.map(({ pod }) => pod.uid));
    const rest = latest.filter(({ pod }) => !early.has(pod.uid));
    return [...sure, ...rest.map((one) => decisionOf(one, undefined))].sort(
      (a, b) => a.notBefore - b.notBefore,
    );

    function decisionOf(one: PlayedDeletion, last: PlayedDeletion | undefined): PodGcDecision {
      const { pod, step, pass } = one;
      const notBefore =
        step === 'orphaned' && pass === 0
          ? Math.max(now, quarantineEnd(pod.facts?.nodeName ?? '', now, memory))
          : firstPass(now, memory).soonest + pass * podGcPeriod;
      const doubt = doubtOf(view, one, last);
      const patch = statusPatchOf(pod, step, notBefore);
      return {
        collector: id,
        step,
        object: pod,
        action: 'delete',
        ...(patch && { patch }),
        options: podGcDeleteOptions,
        notBefore,
        notAfter: last && firstPass(now, memory).latest + last.pass * podGcPeriod,
        confidence: doubt === undefined ? 'certain' : 'unknown',
        because: becauseOf(one, threshold) + (doubt === undefined ? '' : `; ${doubt}`),
        rule: ruleOf(one),
      };
    }
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

/** A quarantine may end just after the pass that would have met its end (PG-15). */
const almostPeriod = podGcPeriod - 1;

/** With every quarantine over as soon as it can be, and as late as it can be. */
function playBothWays(
  view: ClusterView,
  threshold: number,
  now: number,
  memory: CollectorMemory | undefined,
) {
  const input = podGcInputOf(view);
  const missing = [...missingNodes(input)];
  const { soonest, latest } = firstPass(now, memory);
  // A name that was never seen missing is first noticed by the next pass.
  const late = missing.flatMap((name) => {
    const end = memory?.quarantine?.get(name);
    return end === undefined ? [] : [[name, end + 1] as const];
  });
  return {
    soonest: playPasses(
      { ...input, nodeExists: (name) => view.at('nodes', '', name) !== undefined },
      {
        first: soonest,
        period: podGcPeriod,
        threshold,
        quarantine: new Map(missing.map((name) => [name, soonest])),
      },
    ),
    latest: playPasses(input, {
      first: latest,
      period: almostPeriod,
      threshold,
      quarantine: new Map(late),
    }),
  };
}

function firstPass(now: number, memory: CollectorMemory | undefined) {
  const last = memory?.lastPasses?.get(id);
  if (last === undefined) return { soonest: now, latest: now + podGcPeriod };
  const next = Math.max(now, last + podGcPeriod);
  return { soonest: next, latest: next };
}

/** The earliest end: a controller that has just started begins anew (PG-15). */
function quarantineEnd(nodeName: string, now: number, memory: CollectorMemory | undefined): number {
  const known = memory?.quarantine?.get(nodeName);
  if (known !== undefined) return known;
  return memory?.startedAt === undefined ? now : memory.startedAt + quarantineTime;
}

function doubtOf(
  view: ClusterView,
  { pod, step, tied }: PlayedDeletion,
  last: PlayedDeletion | undefined,
): string | undefined {
  const nodeName = pod.facts?.nodeName ?? '';
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

import type { ObjectRecord } from '../../kube/object-record.ts';
import { withChanges } from '../../kube/records/stored-record.ts';
import { timestampOf } from '../../kube/time.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ControllerMemory } from '../controller.ts';
import {
  type Chosen,
  missingNodes,
  type PodGcInput,
  type PodGcStep,
  podGcPass,
  quarantineTime,
  statusPatchOf,
} from './pass.ts';

/** The pause between two passes (PG-1). */
export const podGcPeriod = 20_000;

export interface PassDeletion extends Chosen {
  /** Counted from 0. */
  readonly pass: number;
}

interface PassSchedule {
  readonly first: number;
  readonly period: number;
  readonly threshold: number;
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * Passes until nothing changes: pods that stay, Failed and held by finalizers, count as terminated from
 * the next pass on, so that a second wave may follow (PG-8). Each pod as it was first chosen.
 */
function playPasses(input: PodGcInput, schedule: PassSchedule): readonly PassDeletion[] {
  const played = new Map<string, PassDeletion>();
  const missing = missingNodes(input);
  let { pods } = input;
  let { quarantine } = schedule;
  let isQuiet = false;
  // Every Node that is missing now is out of quarantine before the fourth pass.
  for (let pass = 0; pass < 4 || !isQuiet; pass++) {
    const now = schedule.first + pass * schedule.period;
    const result = podGcPass({ ...input, pods }, schedule.threshold, now, quarantine, missing);
    quarantine = result.quarantine;
    isQuiet = true;
    const steps = new Map<string, PodGcStep>();
    for (const one of result.chosen) {
      const { uid } = one.pod;
      if (!steps.has(uid)) steps.set(uid, one.step);
      if (played.has(uid)) continue;
      played.set(uid, { ...one, pass });
      isQuiet = false;
    }
    pods = pods.flatMap((pod) => {
      const step = steps.get(pod.uid);
      return step === undefined ? [pod] : leftOf(pod, step, now);
    });
  }
  return [...played.values()];
}

function leftOf(pod: ObjectRecord, step: PodGcStep, now: number): ObjectRecord[] {
  if (pod.finalizers.length === 0) return [];
  const { body } = statusPatchOf(pod, step, now) ?? {};
  const facts = body ? { ...pod.facts, phase: 'Failed' } : pod.facts;
  const deletionTimestamp = pod.deletionTimestamp ?? timestampOf(now);
  return [withChanges(pod, { deletionTimestamp, facts })];
}

/** A pod that is deleted, with what its deletion looks like at the earliest and at the latest. */
export interface PodForecast {
  readonly pod: ObjectRecord;
  readonly first: PassDeletion;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  /** Undefined where quarantines may end so that it is not deleted. */
  readonly last: PassDeletion | undefined;
  readonly notAfter: number | undefined;
}

interface Timed extends PassDeletion {
  readonly at: number;
}

/** A quarantine may end just after the pass that would have met its end (PG-15). */
const almostPeriod = podGcPeriod - 1;

/**
 * Passes with every quarantine over as soon as it can be, and as late as it can be: the
 * controller's memory decides what happens in between.
 */
export function forecastPods(
  input: PodGcInput,
  view: ClusterView,
  threshold: number,
  now: number,
  memory: ControllerMemory | undefined,
): PodForecast[] {
  const missing = [...missingNodes(input)];
  const { soonest, latest } = firstPass(now, memory);
  const ends = missing.map((name) => [name, quarantineEnd(name, now, memory)] as const);
  const soon = { ...input, nodeExists: (name: string) => view.at('nodes', '', name) !== undefined };
  // With passes at an unknown time, one may fall on each end.
  const firsts = new Set([
    soonest,
    ...(soonest === latest ? [] : ends.map(([, end]) => onto(end))),
  ]);
  const early = [...firsts].flatMap((first) =>
    timed(soon, { first, period: podGcPeriod, threshold, quarantine: new Map(ends) }),
  );
  // The next pass is the first to notice a name that is not in quarantine yet.
  const known = missing.flatMap((name) => {
    const end = memory?.quarantine?.get(name);
    return end === undefined ? [] : [[name, end + 1] as const];
  });
  const schedule = { first: latest, period: almostPeriod, threshold, quarantine: new Map(known) };
  const late = new Map(timed(input, schedule).map((one) => [one.pod.uid, one]));
  const earliest = new Map<string, Timed>();
  // The latest of all is early, too, where no quarantine has to end for it.
  const shifted = [...late.values()].map((one) => ({
    ...one,
    at: soonest + one.pass * podGcPeriod,
  }));
  for (const one of [...early, ...shifted.filter(({ step }) => step !== 'orphaned')]) {
    const before = earliest.get(one.pod.uid);
    if (!before || one.at < before.at) earliest.set(one.pod.uid, one);
  }
  for (const one of late.values()) {
    if (!earliest.has(one.pod.uid)) earliest.set(one.pod.uid, { ...one, at: soonest });
  }
  return [...earliest.values()].map((first) => {
    const { pod, at } = first;
    const last = late.get(pod.uid);
    // Passes wait for each other, so that every one comes a little later.
    const notAfter = last && latest + last.pass * podGcPeriod;
    return { pod, first, notBefore: at, last, notAfter };
  });

  function onto(end: number): number {
    return soonest + ((((end - soonest) % podGcPeriod) + podGcPeriod) % podGcPeriod);
  }
}

function timed(input: PodGcInput, schedule: Parameters<typeof playPasses>[1]): Timed[] {
  const { first, period } = schedule;
  return playPasses(input, schedule).map((one) => ({ ...one, at: first + one.pass * period }));
}

function firstPass(now: number, memory: ControllerMemory | undefined) {
  const last = memory?.lastPasses?.get('pod-garbage-collector');
  if (last === undefined) return { soonest: now, latest: now + podGcPeriod };
  const next = Math.max(now, last + podGcPeriod);
  return { soonest: next, latest: next };
}

/** The earliest end: a node is missed when it goes, and a controller that has just started has no quarantines (PG-15). */
function quarantineEnd(
  nodeName: string,
  now: number,
  memory: ControllerMemory | undefined,
): number {
  const known = memory?.quarantine?.get(nodeName);
  if (known !== undefined) return known;
  const since = Math.max(
    memory?.startedAt ?? -Infinity,
    memory?.lastSeen?.get(nodeName) ?? -Infinity,
  );
  return since === -Infinity ? now : since + quarantineTime;
}

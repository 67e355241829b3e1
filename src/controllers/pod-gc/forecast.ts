import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, nodeNameOf } from '../../kube/pod-use.ts';
import type { ControllerMemory } from '../controller.ts';
import {
  type Chosen,
  isTerminated,
  missingNodes,
  type PodGcInput,
  podGcPass,
  quarantineTime,
} from './pass.ts';

/** The pause between two passes (PG-1). */
export const podGcPeriod = 20_000;

export interface PassDeletion extends Chosen {
  /** Counted from 0. */
  readonly pass: number;
}

/** The first deletion of each Pod, by its uid. */
interface PlayedPasses extends Pick<PassSchedule, 'first' | 'period'> {
  readonly played: ReadonlyMap<string, PassDeletion>;
}

interface PassSchedule {
  readonly first: number;
  readonly period: number;
  readonly threshold: number;
  readonly quarantine: ReadonlyMap<string, number>;
}

/**
 * Runs passes until nothing changes: Pods that stay, Failed and blocked by finalizers, count as terminated from
 * the next pass on, so that the next pass may choose others (PG-8). Each Pod as it was first chosen.
 */
function playPasses(
  input: PodGcInput,
  missing: ReadonlySet<string>,
  schedule: PassSchedule,
): PlayedPasses {
  const played = new Map<string, PassDeletion>();
  let { pods } = input;
  let { quarantine } = schedule;
  let isQuiet = false;
  // Every Node that is missing now is out of quarantine before the fourth pass.
  for (let pass = 0; pass < 4 || !isQuiet; pass++) {
    const now = schedule.first + pass * schedule.period;
    const result = podGcPass({ ...input, pods }, schedule.threshold, now, quarantine, missing);
    quarantine = result.quarantine;
    isQuiet = true;
    for (const one of result.chosen) {
      const { uid } = one.pod;
      if (played.has(uid)) continue;
      played.set(uid, { ...one, pass });
      isQuiet = false;
    }
    if (isQuiet) continue;
    pods = pods
      .filter((pod) => pod.finalizers.length > 0 || !played.has(pod.uid))
      .map((pod) => (played.has(pod.uid) ? asFailed(pod) : pod));
  }
  return { ...schedule, played };
}

/** Finalizers block its deletion. */
function asFailed(pod: ObjectRecord): ObjectRecord {
  const phase = pod.facts?.phase === 'Succeeded' ? 'Succeeded' : 'Failed';
  return { ...pod, facts: { ...pod.facts, phase } };
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

/** A quarantine may end just after the pass that would have met its end (PG-15). */
const almostPeriod = podGcPeriod - 1;

/**
 * Runs passes with every quarantine ending as early as possible, and as late as possible: the controller's memory
 * decides what happens in between. Pods that stay Failed cause others to be deleted (PG-8); Pods that are deleted with their
 * Node prevent that. So either the quarantines of Nodes whose Pods stay end first, or those of the other Nodes.
 */
export function forecastPods(
  input: PodGcInput,
  threshold: number,
  now: number,
  memory: ControllerMemory | undefined,
): PodForecast[] {
  const { pods } = input;
  const mayExceed = threshold > 0 && pods.filter(mayCount).length > threshold;
  if (mayExceed) return forecastTogether(input, threshold, now, memory);
  // Below the threshold, what happens to one Pod does not depend on others: it is the same for all that are alike.
  const likeness = pods.map(likenessOf);
  const examples = new Map(pods.map((pod, at) => [likeness[at], pod]));
  const likeInput = { ...input, pods: [...examples.values()] };
  const forecasts = forecastTogether(likeInput, 0, now, memory);
  const byLikeness = new Map(forecasts.map((forecast) => [likenessOf(forecast.pod), forecast]));
  return pods.flatMap((pod, at) => {
    const forecast = byLikeness.get(likeness[at] ?? '');
    return forecast ? { ...forecast, pod } : [];
  });
}

/** All by which steps other than the first choose a Pod. */
function likenessOf(pod: ObjectRecord): string {
  return `${isBeingDeleted(pod)} ${String(nodeNameOf(pod))}`;
}

/** `threshold`: 0 where it cannot be exceeded. */
function forecastTogether(
  input: PodGcInput,
  threshold: number,
  now: number,
  memory: ControllerMemory | undefined,
): PodForecast[] {
  const missing = missingNodes(input);
  const { soonest, latest } = firstPass(now, memory);
  const ends = [...missing].map((name) => [name, quarantineEnd(name, now, memory)] as const);
  // A Node that was not read may be missing as well.
  const soon = { ...input, nodeExists: () => false };
  // With passes at an unknown time, one may fall on each end.
  const firsts = new Set([
    soonest,
    ...(soonest === latest ? [] : ends.map(([, end]) => passAt(soonest, end))),
  ]);
  // The next pass is the first to notice a name that is not in quarantine yet.
  const known = [...missing].flatMap((name) => {
    const end = memory?.quarantine?.get(name);
    return end === undefined ? [] : [[name, end + 1] as const];
  });
  const holding = new Set(
    input.pods.map((pod) => (pod.finalizers.length > 0 ? knownNodeOf(pod) : undefined)),
  );
  const [staying = [], leaving = []] = [true, false].map((stays) =>
    ends.filter(([name]) => holding.has(name) === stays),
  );
  const schedule = { threshold, first: latest, period: almostPeriod };
  const late = (threshold > 0 ? [[], leaving] : [[]]).map((over) =>
    playPasses(input, missing, { ...schedule, quarantine: new Map([...known, ...over]) }),
  );
  const early = [...firsts].flatMap((first) =>
    (threshold > 0 ? [ends, staying] : [ends]).map((over) => {
      const quarantine = new Map([...known, ...over]);
      return playPasses(soon, missing, { ...schedule, first, period: podGcPeriod, quarantine });
    }),
  );
  const earliest = new Map<string, TimedDeletion>();
  for (const run of early) addFirst(earliest, run, (a, b) => a < b);
  // The latest of all is early, too, where no quarantine has to end for it.
  for (const run of late) {
    const others = new Map([...run.played].filter(([, { step }]) => step !== 'orphaned'));
    addFirst(earliest, { first: soonest, period: podGcPeriod, played: others }, (a, b) => a < b);
  }
  const lasts = new Map<string, TimedDeletion>();
  for (const run of late) addFirst(lasts, run, (a, b) => a > b);
  const runs = [...early, ...late];
  return [...earliest].map(([uid, { deletion: first, at: notBefore }]) => {
    const isChosen = runs.every(({ played }) => played.has(uid));
    const last = isChosen ? lasts.get(uid)?.deletion : undefined;
    // Passes wait for each other, so that every one comes a little later.
    const notAfter = last && latest + last.pass * podGcPeriod;
    return { pod: first.pod, first, notBefore, last, notAfter };
  });
}

/** The first pass from `soonest` on, where one falls on the end of a quarantine. */
function passAt(soonest: number, end: number): number {
  return soonest + ((((end - soonest) % podGcPeriod) + podGcPeriod) % podGcPeriod);
}

/** Pods that have ended count towards the threshold, and so do those that stay Failed while a finalizer blocks them. */
function mayCount(pod: ObjectRecord): boolean {
  return isTerminated(pod) || pod.finalizers.length > 0;
}

interface TimedDeletion {
  readonly deletion: PassDeletion;
  readonly at: number;
}

/** Adds the deletions that are before the ones of the same Pods that were found already. */
function addFirst(
  found: Map<string, TimedDeletion>,
  { first, period, played }: PlayedPasses,
  isBefore: (at: number, other: number) => boolean,
): void {
  for (const [uid, deletion] of played) {
    const at = first + deletion.pass * period;
    const other = found.get(uid);
    if (!other || isBefore(at, other.at)) found.set(uid, { deletion, at });
  }
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

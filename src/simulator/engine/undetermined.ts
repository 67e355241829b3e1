import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  inWords as inWordsOf,
  type ObjectReference,
  referenceTo,
} from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { InvalidNamespaceEvent } from '../garbage-collector/invalid-namespace-events.ts';
import { requestedDeletions, type SimulationInput } from '../simulation-input.ts';
import { type Cause, followedBy } from './causes.ts';
import type { OrderDependentPart } from './order-dependent-part.ts';
import { type Played, play } from './play.ts';
import { canonicalSchedule, seededSchedule } from './schedule.ts';
import { type RecordedStep, recordingTimeline, silentTimeline, type Verb } from './timeline.ts';

/** An object whose end depends on an uncontrolled order of events (SIM-4). */
export interface Undetermined {
  readonly object: ObjectReference;
  readonly because: string;
}

/** A play was given up before it came to an end: any of its objects may end in another way. */
export function undeterminedAsEndless(records: Iterable<ObjectRecord>): Undetermined[] {
  const because = 'the controllers do not settle: the simulation was stopped';
  return [...records].map((record) => ({ object: referenceTo(record), because }));
}

/** Collects how each object of a part ends in one play and in others. */
class Ends {
  readonly #records: readonly ObjectRecord[];
  readonly #first: readonly (ObjectRecord | undefined)[];
  /** A play was aborted: all later events are unknown. */
  #areOpen = false;
  /** By position, for objects that end differently: each end by its signature, and a schedule that leads to it. */
  readonly #different = new Map<number, Map<string, End>>();

  constructor(records: readonly ObjectRecord[], shown: Played) {
    this.#records = records;
    this.#first = records.map((record) => shown.context.state.current(record));
  }

  /** Returns whether more plays can show more. */
  add({ context: { state }, ended }: Played, seed: number): boolean {
    this.#areOpen ||= ended === 'endless';
    if (this.#areOpen) return false;
    this.#records.forEach((record, at) => {
      const first = this.#first[at];
      const end = state.current(record);
      if (end === first) return;
      const signature = signatureOf(end);
      let ends = this.#different.get(at);
      if (!ends) {
        if (signature === signatureOf(first)) return;
        ends = new Map([[signatureOf(first), { end: first, seed: 0 }]]);
        this.#different.set(at, ends);
      }
      if (!ends.has(signature)) ends.set(signature, { end, seed });
    });
    return true;
  }

  undetermined(firstIn: FirstIn): Undetermined[] {
    if (this.#areOpen) return undeterminedAsEndless(this.#records);
    return this.#records.flatMap((record, at) => {
      const ends = this.#different.get(at);
      if (!ends) return [];
      const because = `${dependsOn(record)}: ${spellEnds(record, [...ends.values()], firstIn)}`;
      return [{ object: referenceTo(record), because }];
    });
  }
}

interface End {
  readonly end: ObjectRecord | undefined;
  /** Of a schedule by which it ends so; 0 is the canonical one. */
  readonly seed: number;
}

/** The parts of an end that are compared and reported. */
function signatureOf(end: ObjectRecord | undefined): string {
  if (!end) return 'gone';
  const finalizers = [...end.finalizers].sort().join(',');
  const references = end.ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => `${uid}:${blockOwnerDeletion}`,
  );
  const phase = isPod(end) ? (end.facts?.phase ?? '') : '';
  const isTerminating = end.deletionTimestamp !== undefined;
  return `${isTerminating} ${finalizers} ${references.sort().join(',')} ${phase}`;
}

function dependsOn({ ownerReferences, finalizers }: ObjectRecord): string {
  const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`);
  if (owners.length > 1) {
    return `the outcome depends on which of ${owners.join(', ')} is seen first`;
  }
  if (finalizers.length > 0) {
    return `the outcome depends on whether its dependents are seen before ${finalizers.join(', ')} is removed`;
  }
  const around = owners[0] === undefined ? 'its dependents' : `${owners[0]} and its dependents`;
  return `the outcome depends on the order in which ${around} are seen`;
}

/** Each end with an example of an order that leads to it: the write that comes first there, and not on the way to another end. */
function spellEnds(before: ObjectRecord, ends: readonly End[], firstIn: FirstIn): string {
  const [first, second] = ends;
  const spelled = new Map(
    ends.map(({ end, seed }) => {
      const other = seed === first?.seed ? second : first;
      const example = other ? firstIn(seed, other.seed, before) : '';
      return [spellEnd(before, end), example] as const;
    }),
  );
  return [...spelled]
    .map(([end, example]) => (example === '' ? end : `${end}, as when ${example}`))
    .sort()
    .join(', or ');
}

/** The reason without its examples: where the same ends are possible, each simulation may find other ones. */
export function withoutExamples(because: string): string {
  return because.replaceAll(/, as when .*?(?=, or it |$)/gs, '');
}

function spellEnd(before: ObjectRecord, end: ObjectRecord | undefined): string {
  if (!end) return 'it is deleted';
  const state =
    end.deletionTimestamp === undefined
      ? 'it stays'
      : `it remains terminating (${end.finalizers.join(', ') || 'no finalizer'})`;
  if (before.ownerReferences.length === 0) return state;
  const owners = end.ownerReferences.map(
    ({ kind, name, blockOwnerDeletion }) =>
      `${kind} ${name}${blockOwnerDeletion === true ? ' (blocking)' : ''}`,
  );
  return `${state}, owned by ${owners.join(', ') || 'no object'}`;
}

/** What differs where events come in other orders. */
export interface OtherOrders {
  readonly undetermined: readonly Undetermined[];
  /** Positions of the requests that are answered otherwise. */
  readonly uncertainReplies: ReadonlySet<number>;
  /** Every event that was written in one of the other plays. */
  readonly events: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Keys of the shown play's events that were not written in all of them. */
  readonly uncertainEvents: ReadonlySet<string>;
}

/** Objects played again in all for the sake of rare orders, and how often each at most. */
const thoroughBudget = 30_000;
const mostReplays = 500;
/** The same where the part is too large for that, and how often each is played at least. */
const replayBudget = 200_000;
export const enoughReplays = 24;
const fewestReplays = 3;

/**
 * Plays a part again by other schedules and compares. Small parts are played so often that an end
 * which one order in a hundred leads to is found; the work for large ones is bounded. `most`: how often
 * small parts are played, at least `enoughReplays`.
 */
export function replayInOtherOrders(
  part: OrderDependentPart | undefined,
  shown: Played,
  most = mostReplays,
): OtherOrders {
  const uncertainReplies = new Set<number>();
  const events = new Map<string, InvalidNamespaceEvent>();
  const uncertainEvents = new Set<string>();
  if (!part) return { undetermined: [], uncertainReplies, events, uncertainEvents };
  const { input, records, requests, areAlone } = part;
  const ends = new Ends(records, shown);
  const count = replaysOf(records.length, areAlone ? enoughReplays : most);
  for (let seed = 1; seed <= count; seed++) {
    const played = play(input, seededSchedule(seed), () => silentTimeline);
    if (!ends.add(played, seed)) break;
    requests.forEach((index, at) => {
      const code = played.replies[at]?.code;
      if (code !== undefined && code !== shown.replies[index]?.code) uncertainReplies.add(index);
    });
    for (const [key, event] of played.events) events.set(key, event);
    for (const key of shown.events.keys()) if (!played.events.has(key)) uncertainEvents.add(key);
  }
  const undetermined = ends.undetermined(decidingWrites(input));
  return { undetermined, uncertainReplies, events, uncertainEvents };
}

function replaysOf(size: number, most: number): number {
  const thorough = Math.min(most, Math.floor(thoroughBudget / size));
  const enough = Math.min(enoughReplays, Math.floor(replayBudget / size));
  return Math.max(thorough, enough, fewestReplays);
}

/**
 * What controllers may or may not have done by the end, as only they know when they look next; and
 * what they leave to chance.
 */
export function undeterminedByTiming(
  { context: { state }, controllers }: Played,
  input: SimulationInput,
  recorded: readonly RecordedStep[] = [],
  early?: { readonly shown: Played; readonly recorded: readonly RecordedStep[] },
): Undetermined[] {
  const end = input.now + input.duration;
  const deletionsOf = requestedDeletions(input.requests);
  // Whatever has changed in the object before.
  const isRequested = (object: ObjectRecord) =>
    deletionsOf(object).some(
      ({ verb, options }) =>
        verb === 'delete' && options.preconditions?.resourceVersion === undefined,
    );
  const own = controllers.flatMap(({ controller: { runsAs }, timings, doubts }) => {
    const late = [...timings.values()].flatMap(({ object, from, to, done }): Undetermined[] => {
      const isOver = to !== undefined && end >= to;
      if (end < from || isOver) return [];
      // A request deletes it, whether the controller was there before or not.
      const isGoneAnyway = !done || isRequested(object);
      if (isGoneAnyway && !state.current(object)) return [];
      const until = to === undefined ? 'on' : `to ${timestampOf(to)}`;
      const because = `the outcome depends on when ${runsAs} acts, from ${timestampOf(from)} ${until}: the simulation ends at ${timestampOf(end)}`;
      return [{ object: referenceTo(object), because }];
    });
    const open = doubts.flatMap(({ object, because, from }): Undetermined[] =>
      from <= end && state.current(object) ? [{ object: referenceTo(object), because }] : [],
    );
    return [...late, ...open];
  });
  const known = new Set(own.map(({ object }) => object.uid));
  const late = writesOf(recorded).filter(({ to }) => to === undefined || to > end);
  const sooner = writesOf(early?.recorded ?? []).filter((write) => endsOtherwise(write));
  const following = [...late, ...sooner].flatMap((write): Undetermined[] => {
    const { object, to } = write;
    if (!object || known.has(object.uid)) return [];
    known.add(object.uid);
    if (isRequested(object) && !state.current(object)) return [];
    const first = followedBy(object, write);
    const after = first ? `what happens to ${inWordsOf(first)}` : 'when its controller acts';
    const until = to === undefined ? 'at an unknown time' : `by ${timestampOf(to)}`;
    const because = `the outcome depends on ${after}, ${until}: the simulation ends at ${timestampOf(end)}`;
    return [{ object: referenceTo(object), because }];
  });
  return [...own, ...following];

  function endsOtherwise({ object }: Cause): boolean {
    if (!object) return false;
    const other = early?.shown.context.state.current(object);
    return signatureOf(other) !== signatureOf(state.current(object));
  }
}

function writesOf(recorded: readonly RecordedStep[]): Cause[] {
  return recorded.flatMap(({ write }) => write ?? []);
}

/** At most so many plays are compared to find the difference of two orders. */
const mostPlays = 50;

/** What comes first by the schedule of `seed` and not by that of `other`: `kubelet deletes Pod web first`. */
type FirstIn = (seed: number, other: number, record: ObjectRecord) => string;

/**
 * Finds the first writes in which two orders of events differ, by playing them once more. Writes to the object, its owners
 * and its dependents count before others. Empty if the writes are equal.
 */
function decidingWrites(input: SimulationInput): FirstIn {
  /** By the seed of the schedule; 0 is the canonical one. */
  const played = new Map<number, readonly RecordedStep[]>();
  return (seed, other, record) => {
    const [steps, others] = [stepsOf(seed), stepsOf(other)];
    if (!steps || !others) return '';
    const isNear = nearTo(record);
    const missing = (from: readonly RecordedStep[], of: readonly RecordedStep[]) =>
      divergence(from.filter(isNear), of.filter(isNear)) ?? divergence(from, of);
    const first = missing(steps, others);
    if (first) return `${stepInWords(first)} first`;
    const never = missing(others, steps);
    return never ? stepInWords(never, 'never ') : '';
  };

  function stepsOf(seed: number): readonly RecordedStep[] | undefined {
    const known = played.get(seed);
    if (known || played.size >= mostPlays) return known;
    const steps: RecordedStep[] = [];
    const schedule = seed === 0 ? canonicalSchedule : seededSchedule(seed);
    play(input, schedule, (now) => recordingTimeline(now, steps));
    const written = steps.filter(({ result }) => result !== 'unchanged' && result !== 'refused');
    played.set(seed, written);
    return written;
  }

  function nearTo({ uid, ownerReferences }: ObjectRecord): (step: RecordedStep) => boolean {
    const near = new Set([uid, ...ownerReferences.map((reference) => reference.uid)]);
    for (const other of input.records) {
      if (other.ownerReferences.some((reference) => reference.uid === uid)) near.add(other.uid);
    }
    return ({ object }) => near.has(object.uid);
  }
}

const spelled: Readonly<Record<Verb, string>> = {
  delete: 'deletes',
  deletecollection: 'deletes',
  patch: 'patches',
  update: 'updates',
  create: 'creates',
  finalize: 'finalizes',
};

function stepInWords({ actor, verb, object: { type, name } }: RecordedStep, how = ''): string {
  return `${actor === 'user' ? 'the user' : actor} ${how}${spelled[verb]} ${type.kind} ${name}`;
}

/** The first step of which the others have another one, or none. */
function divergence(
  steps: readonly RecordedStep[],
  others: readonly RecordedStep[],
): RecordedStep | undefined {
  const key = ({ actor, verb, object, result }: RecordedStep) =>
    `${actor} ${verb} ${object.uid} ${result}`;
  return steps.find((step, at) => {
    const other = others[at];
    return !other || key(step) !== key(other);
  });
}

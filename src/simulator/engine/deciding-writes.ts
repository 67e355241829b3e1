import type { ObjectRecord } from '../../kube/object-record.ts';
import type { SimulationInput } from '../simulation-input.ts';
import { play } from './play.ts';
import { canonicalSchedule, seededSchedule } from './schedule.ts';
import { recordingTimeline, type Step, type Verb } from './timeline.ts';

/** Two orders are told apart by no more plays than this. */
const mostPlays = 50;

/** Tells by which writes two orders of events differ first, by playing them once more. */
export class DecidingWrites {
  readonly #input: SimulationInput;
  /** By the seed of the schedule; 0 is the canonical one. */
  readonly #steps = new Map<number, readonly Step[]>();

  constructor(input: SimulationInput) {
    this.#input = input;
  }

  /**
   * What comes first by the schedule of `seed` and not by that of `other`: `kubelet deletes Pod web first`. Writes to the
   * object, its owners and its dependents count before others. Empty where they write alike.
   */
  firstIn(seed: number, other: number, record: ObjectRecord): string {
    const [steps, others] = [this.#stepsOf(seed), this.#stepsOf(other)];
    if (!steps || !others) return '';
    const isNear = this.#near(record);
    const missing = (from: readonly Step[], of: readonly Step[]) =>
      divergence(from.filter(isNear), of.filter(isNear)) ?? divergence(from, of);
    const first = missing(steps, others);
    if (first) return `${inWords(first)} first`;
    const never = missing(others, steps);
    return never ? inWords(never, 'never ') : '';
  }

  #stepsOf(seed: number): readonly Step[] | undefined {
    const known = this.#steps.get(seed);
    if (known || this.#steps.size >= mostPlays) return known;
    const steps: Step[] = [];
    const schedule = seed === 0 ? canonicalSchedule : seededSchedule(seed);
    play(this.#input, schedule, (now) => recordingTimeline(now, steps));
    const written = steps.filter(({ result }) => result !== 'unchanged' && result !== 'refused');
    this.#steps.set(seed, written);
    return written;
  }

  #near({ uid, ownerReferences }: ObjectRecord): (step: Step) => boolean {
    const near = new Set([uid, ...ownerReferences.map((reference) => reference.uid)]);
    for (const other of this.#input.records) {
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

function inWords({ actor, verb, object: { kind, name } }: Step, how = ''): string {
  return `${actor === 'user' ? 'the user' : actor} ${how}${spelled[verb]} ${kind} ${name}`;
}

/** The first step of which the others have another one, or none. */
function divergence(steps: readonly Step[], others: readonly Step[]): Step | undefined {
  const key = ({ actor, verb, object, result }: Step) => `${actor} ${verb} ${object.uid} ${result}`;
  return steps.find((step, at) => {
    const other = others[at];
    return !other || key(step) !== key(other);
  });
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import { second } from '../../kube/time.ts';

/** When a write may happen, in epoch milliseconds: not before, and not later than. */
export interface StepRange {
  readonly from: number;
  /** Undefined: how long it takes is unknown. */
  readonly to: number | undefined;
}

/** The cause of a write: another write, a decision that a controller made at a scheduled time, or work from before the simulation. */
export interface Cause extends StepRange {
  /** When this play does it; epoch milliseconds. */
  readonly at: number;
  /** What was written, as it was before. */
  readonly object: ObjectRecord | undefined;
  /** What was decided. */
  readonly decided: object | undefined;
  readonly cause: Cause | undefined;
}

/** Causes that a queue has gathered for one item, until it leads to a write. */
export interface Gathered extends Cause {
  isSpent: boolean;
}

/**
 * What is being reacted to. Whatever is planned meanwhile takes it along, and each write keeps it. A play that is not
 * shown keeps nothing.
 */
export class Causes {
  /** When the play began; epoch milliseconds. */
  began = 0;
  /** Milliseconds since then. */
  elapsed = 0;
  isKept = false;
  /** When controllers come to what had waited before is unknown. */
  hasBacklog = false;
  #current: Cause | Gathered | undefined;
  /** The last write to each object, by its uid: a map of records would be slower. */
  readonly #writes = new Map<string, Cause>();
  /** The last removals, by kind and namespace. */
  readonly #ends = new Map<ResourceType, Map<string, Cause>>();

  get current(): Cause | undefined {
    return this.#current;
  }

  /** Everything that `run` plans and writes follows from this cause. */
  within<T>(cause: Cause | undefined, run: () => T): T {
    const before = this.#current;
    this.#current = cause;
    const result = run();
    this.#current = before;
    return result;
  }

  /** Notifies watchers of a write, which is the cause of their reactions. */
  writing(before: ObjectRecord | undefined, after: ObjectRecord | undefined, notify: () => void) {
    const object = before ?? after;
    if (!this.isKept || !object) return notify();
    const write = this.#writeNow(object);
    if (write.cause && 'isSpent' in write.cause) write.cause.isSpent = true;
    this.#writes.set(object.uid, write);
    if (!after) this.#noteEnd(object, write);
    this.within(write, notify);
  }

  #noteEnd({ type, namespace }: ObjectRecord, end: Cause): void {
    const ends = this.#ends.get(type) ?? new Map<string, Cause>();
    this.#ends.set(type, ends.set(namespace, both(ends.get(namespace), end)));
  }

  #writeNow(object: ObjectRecord): Cause {
    const cause = this.#current;
    // A request's time is no delay.
    const at = cause?.decided ? cause.at : this.#now;
    const { from, to } = following(cause, { at, from: at, to: at });
    return { at, from, to, object, decided: undefined, cause };
  }

  /**
   * The write that replaced or removed a record, or created it. Of a record that another write had replaced since it was read, this
   * one follows from what is being reacted to.
   */
  writeOf(record: ObjectRecord): Cause | undefined {
    const write = this.#writes.get(record.uid);
    if (write?.object === record) return write;
    return this.#current && this.#writeNow(record);
  }

  /**
   * In a task, until it ends: no object remains of a kind, in a namespace, or of a kind in a namespace, which is a
   * consequence of the end of each of them.
   */
  alsoFollows(place: { readonly type?: ResourceType; readonly namespace?: string }): void {
    for (const [type, ends] of this.#ends) {
      if (place.type && storedAs(place.type) !== storedAs(type)) continue;
      const { namespace } = place;
      const found =
        namespace === undefined ? [...ends.values()] : [ends.get(namespace) ?? []].flat();
      for (const end of found) this.#current = both(this.#current, end);
    }
  }

  /** In a task, until its end: it writes what was decided, and nothing else led to that. */
  carryOut(decision: Cause | undefined): void {
    this.#current = decision && this.isKept ? { ...decision, at: this.#now } : undefined;
  }

  /** A queue contains an item already, and a second cause to process it arrives. */
  gather(known: Gathered | undefined, cause: Cause | undefined): Gathered | undefined {
    if (!cause) return known;
    return { ...both(known?.isSpent ? undefined : known, cause), isSpent: false };
  }

  /** What has waited since before the play follows at a time that is not known. */
  get backlog(): Cause | undefined {
    const at = this.began;
    const isOpen = { object: undefined, decided: undefined, cause: undefined };
    return this.hasBacklog ? { at, from: at, to: undefined, ...isOpen } : undefined;
  }

  get #now(): number {
    return this.began + this.elapsed;
  }
}

/** The nearest write by which something follows. */
export function writtenBefore(
  cause: Cause | undefined,
  isIt: (object: ObjectRecord) => boolean = () => true,
): Cause | undefined {
  for (let at = cause; at; at = at.cause) if (at.object && isIt(at.object)) return at;
  return undefined;
}

/** The nearest write of another object from which one of this follows. */
export function followedBy({ uid }: ObjectRecord, cause: Cause | undefined) {
  return writtenBefore(cause, (object) => object.uid !== uid)?.object;
}

/** What follows comes as long after its cause as in this play, whenever the cause comes; a decision says when itself. */
function following(
  cause: Cause | undefined,
  { from, to }: StepRange & { readonly at: number },
): StepRange {
  if (!cause) return { from, to };
  if (cause.decided) return { from: cause.from, to: cause.to };
  // The duration of work from before the simulation is unknown.
  const after = (time: number) => {
    const delay = Math.max(0, time - cause.at);
    return cause.object || delay >= second ? delay : 0;
  };
  return {
    from: cause.from + after(from),
    to: to === undefined || cause.to === undefined ? undefined : cause.to + after(to),
  };
}

function isBacklog({ object, decided }: Cause): boolean {
  return object === undefined && decided === undefined;
}

/**
 * A decision with its own range of time. A decision that was due before an event is not a consequence of that event. Times
 * in objects are whole seconds.
 */
export function causeByDecision(
  decided: object,
  own: StepRange & { readonly at: number },
  reason: Cause | undefined,
): Cause {
  const cause = reason && own.from + second > reason.at ? reason : undefined;
  const { from, to } = following(cause, own);
  return { at: own.at, from, to, object: undefined, decided, cause };
}

/** It needs both: the later one is named, and neither end of its range is before that of the other. */
function both(one: Cause | undefined, other: Cause): Cause {
  if (!one || one === other || isBacklog(one)) return other;
  if (isBacklog(other)) return one;
  const { at, object, decided, cause } = one.at > other.at ? one : other;
  const from = Math.max(one.from, other.from);
  const to =
    one.to === undefined || other.to === undefined ? undefined : Math.max(one.to, other.to);
  return { at, from, to, object, decided, cause };
}

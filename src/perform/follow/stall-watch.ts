import { inParallel } from '../../cluster/in-parallel.ts';
import { type AnsweredGet, getObject } from '../../cluster/list/get-objects.ts';
import { isGcError } from '../../errors.ts';
import { leaseType, nodeType } from '../../kube/core-types.ts';
import { isLeaseValid, readingTime } from '../../kube/leader-lease.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { isKubeletUnresponsive, namesNamespace, nodeLeases } from '../../kube/well-known-kinds.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { failuresOf, reportInWords } from '../../programs/reports.ts';
import type { Blocker } from '../../snapshot/graph/blockers.ts';
import { collectorHealthOf } from '../../why/garbage-collector/collector-health.ts';
import { overdueWords } from '../../why/garbage-collector/garbage-check.ts';
import { healthCheck } from '../../why/garbage-collector/health-check.ts';
import type { Waiting } from '../progress-event.ts';
import type { Execution } from '../run-context.ts';
import { findKept } from './kept-dependents.ts';
import { leftEvents, readLeft } from './left-objects.ts';
import type { TrackedObject, TrackedObjects } from './tracked-objects.ts';

/**
 * Waits for what a deletion brings about. While nothing happens it says what is waited for, who has to
 * act, and whether that one seems to run; and it ends where none of them will act.
 */
export class StallWatch {
  readonly #execution: Execution;
  readonly #tracked: TrackedObjects;
  /** uids of what was asked to be deleted: kubectl waits for these without end. */
  readonly #requested: ReadonlySet<string>;
  readonly #pods = new Map<string, ObjectRecord>();
  /** What was said last, so that it is said once. */
  #reported = '';
  /** Since when nothing has happened, and what was seen of each actor then. */
  #still = { since: Number.NaN, sights: new Map<string, Sight>() };

  constructor(execution: Execution, tracked: TrackedObjects, requested: ReadonlySet<string>) {
    this.#execution = execution;
    this.#tracked = tracked;
    this.#requested = requested;
  }

  /** Waits until something may have changed; false where it is of no use to wait any longer. */
  async wait(open: () => readonly TrackedObject[]): Promise<boolean> {
    const { pace, stop, options } = this.#execution;
    const { bell, lastChange } = this.#tracked;
    const quiet = performance.now() - lastChange;
    if (quiet < pace.silence) {
      await bell.wait(pace.silence - quiet, stop);
      return true;
    }
    const waits = await this.#look(open());
    if (this.#tracked.lastChange !== lastChange || stop.aborted || open().length === 0) return true;
    const text = JSON.stringify(waits.map(({ because, ...wait }) => wait));
    if (waits.length > 0 && text !== this.#reported)
      this.#execution.emit({ type: 'waiting', waits });
    this.#reported = text;
    const limit = options.timeout === undefined ? this.#limitFor(open(), waits) : undefined;
    const over = performance.now() - lastChange;
    if (limit !== undefined && over >= limit) return false;
    await bell.wait(Math.min(pace.lookAgain, (limit ?? Number.POSITIVE_INFINITY) - over), stop);
    return true;
  }

  async #look(open: readonly TrackedObject[]): Promise<Waiting[]> {
    const { options } = this.#execution;
    const { lastChange } = this.#tracked;
    if (this.#still.since !== lastChange) this.#still = { since: lastChange, sights: new Map() };
    // The Node of a pod does not change, and no fact of a namespace is needed here.
    const unread = open.filter(
      ({ planned: { kind, uid } }) => kind === 'Pod' && !this.#pods.has(uid),
    );
    for (const [uid, pod] of await readLeft(this.#execution, unread, this.#tracked)) {
      if (pod) this.#pods.set(uid, pod);
    }
    await findKept(this.#execution, open, this.#tracked);
    const left = open.filter(({ present, kept }) => present !== false && kept === undefined);
    const [tracked, records, none] = [this.#tracked, this.#pods, new Set<string>()];
    const context = { tracked, records, unaccepted: none, unread: none, now: options.now() };
    const events = leftEvents(left, context);
    const acting = left.flatMap((object, index) => {
      const actor = actorOf(object, events[index]?.blockedBy ?? [], this.#tracked);
      return actor ? { actor, key: actorKey(actor), object } : [];
    });
    const groups = [...Map.groupBy(acting, ({ key }) => key)];
    return inParallel(groups, 4, async ([key, members]): Promise<Waiting> => {
      const objects = members.map(({ object }) => object);
      const actor = members[0]?.actor ?? { actor: 'garbage-collector' };
      const { state, because, renewed } =
        actor.actor === 'finalizer'
          ? await sightOfFinalizer(actor.name, objects[0], this.#execution)
          : await sightOf(actor, this.#execution, options.now());
      const before = this.#still.sights.get(key);
      if (!before) this.#still.sights.set(key, { state, because, renewed });
      // Clocks differ: what is renewed between two looks is there, whatever the times say.
      const isRenewed = before !== undefined && before.renewed !== renewed;
      const sight = { state: isRenewed ? 'running' : state, because } as const;
      return {
        ...actor,
        ...(actor.actor === 'garbage-collector' ? sightOfCollector(sight, objects) : sight),
        objects: objects.map(({ planned }) => referenceTo(planned)),
        ...ownerOf(objects, this.#tracked),
      };
    });
  }

  /**
   * After how long waiting ends, in milliseconds; undefined for never: what was asked for is still there,
   * or somebody who has to act is seen to run.
   */
  #limitFor(open: readonly TrackedObject[], waits: readonly Waiting[]): number | undefined {
    const { pace } = this.#execution;
    const isAsked = open.some(
      ({ planned: { uid }, present }) => present !== false && this.#requested.has(uid),
    );
    if (isAsked || waits.some(({ state }) => state === 'running')) return undefined;
    const isGone = waits.length > 0 && waits.every(({ state }) => state === 'gone');
    return isGone ? pace.actorGone : pace.actorUnseen;
  }
}

/** The one object of the plan that owns all of these. */
function ownerOf(
  objects: readonly TrackedObject[],
  tracked: TrackedObjects,
): Pick<Waiting, 'owner'> {
  const uids = new Set(objects.map(({ firstOwners }) => firstOwners[0] ?? ''));
  const [uid = ''] = uids;
  const owner = uids.size === 1 ? tracked.find(uid) : undefined;
  return owner ? { owner: referenceTo(owner.planned) } : {};
}

function actorKey({ actor, name = '' }: Actor): string {
  return `${actor} ${name}`;
}

/** Who has to act before an object is removed. `name`: of the Node or the finalizer. */
type Actor = Pick<Waiting, 'actor' | 'name'>;

/**
 * Who has to act on an object that is left; undefined where the object waits for others of the plan,
 * or where that is not to be seen.
 */
function actorOf(
  object: TrackedObject,
  blockedBy: readonly Blocker[],
  tracked: TrackedObjects,
): Actor | undefined {
  const { planned, finalizers, terminating } = object;
  if (blockedBy.some(({ kind }) => kind === 'dependent')) return undefined;
  const foreign = finalizers.find((name) => name !== FOREGROUND && name !== ORPHAN);
  if (foreign !== undefined) return { actor: 'finalizer', name: foreign };
  if (finalizers.length > 0) return { actor: 'garbage-collector' };
  if (!terminating) {
    if (tracked.isCollectable(object)) return { actor: 'garbage-collector' };
    return isInEndingNamespace(planned, tracked) ? { actor: 'namespace' } : undefined;
  }
  const kubelet = blockedBy.find(({ kind }) => kind === 'kubelet');
  if (kubelet) return { actor: 'kubelet', name: kubelet.name };
  const isEmpty = planned.kind === 'Namespace' && !hasContent(planned, tracked);
  return isEmpty ? { actor: 'namespace' } : undefined;
}

function isInEndingNamespace({ namespace }: TrackedObject['planned'], tracked: TrackedObjects) {
  return [...tracked.all].some(
    ({ planned, terminating }) =>
      terminating && namesNamespace(planned) && planned.name === namespace,
  );
}

function hasContent({ name }: TrackedObject['planned'], tracked: TrackedObjects): boolean {
  return [...tracked.all].some(
    ({ planned: { namespace }, present }) => present === true && namespace === name,
  );
}

/** Whether somebody who has to act seems to run. `renewed`: when that one last showed itself. */
interface Sight extends Pick<Waiting, 'state' | 'because'> {
  readonly renewed?: string | undefined;
}

/**
 * Whether the program of a finalizer runs is found by why; when it removes the finalizer is known of those that are listed. What
 * the object itself reports as failed says more.
 */
async function sightOfFinalizer(
  name = '',
  object: TrackedObject | undefined,
  { client, pace, stop, options }: Execution,
): Promise<Sight> {
  const { planned = { kind: '', namespace: '', name: '' }, type } = object ?? {};
  const known = knownFinalizer(name, planned);
  const because = known ? `it does so when ${known.removedWhen}` : 'who removes it is found by why';
  if (!type) return { state: 'unseen', because };
  const signal = AbortSignal.any([stop, AbortSignal.timeout(pace.evidence)]);
  const at = { type, namespace: planned.namespace, name: planned.name };
  const { record } = await seen(client, at, signal);
  const [failure] = record ? failuresOf(record) : [];
  return { state: 'unseen', because: failure ? reportInWords(failure, options.now()) : because };
}

/** Its leader is no evidence that it runs: what it has not deleted meanwhile says more. */
function sightOfCollector({ state, because }: Sight, objects: readonly TrackedObject[]): Sight {
  const health = collectorHealthOf([
    healthCheck('leader', state === 'gone' ? 'failing' : 'unknown', because),
    healthCheck('garbage', 'unknown', `${overdueWords(objects.length)}; ${because}`, {
      overdue: objects.length,
    }),
  ]);
  return { state: health.health === 'does-not-work' ? 'gone' : 'unseen', because: health.because };
}

/** Looks whether they run: at the Leases that they renew, and at Nodes. `now`: epoch milliseconds. */
async function sightOf(
  { actor, name = '' }: Actor,
  { client, pace, stop }: Execution,
  now: number,
): Promise<Sight> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(pace.evidence)]);
  const read = (asked: ObjectLocation) => seen(client, asked, signal);
  if (actor !== 'kubelet') {
    const manager = 'kube-controller-manager';
    const at = { type: leaseType, namespace: 'kube-system', name: manager };
    return leaseHolder(manager, await read(at), now);
  }
  // A Node that does not exist or is not ready shows it; of a ready one, the Lease of its kubelet does.
  const { record, problem } = await read({ type: nodeType, namespace: '', name });
  if (!problem && !record) {
    return { state: 'gone', because: `Node ${name} does not exist: pod GC deletes its pods` };
  }
  if (record && isKubeletUnresponsive(record)) {
    return { state: 'gone', because: `Node ${name} does not report that it is ready` };
  }
  const lease = await read({ type: leaseType, namespace: nodeLeases, name });
  return leaseHolder(`the kubelet of Node ${name}`, lease, now);
}

/** A server that does not answer ends no run: what was deleted is still to be followed. */
function seen(
  client: Execution['client'],
  asked: ObjectLocation,
  signal: AbortSignal,
): Promise<SeenObject> {
  return getObject(client, asked, { facts: 'all', signal }).catch((error: unknown) => {
    if (isGcError(error)) return { record: undefined, problem: error };
    throw error;
  });
}

/** No record without a problem: it does not exist. */
interface SeenObject extends Pick<AnsweredGet, 'record'> {
  readonly problem: unknown;
}

function leaseHolder(who: string, { record, problem }: SeenObject, now: number): Sight {
  if (problem) return { state: 'unseen', because: `whether ${who} runs could not be read` };
  if (!record) {
    return {
      state: 'unseen',
      because: `${who} has no Lease: it does not run, or it runs without leader election`,
    };
  }
  const { renewTime: renewed = '' } = record.facts ?? {};
  if (isLeaseValid(record.facts ?? {}, now, readingTime)) {
    return { state: 'running', because: `${who} renews its Lease`, renewed };
  }
  const since = Number.isNaN(Date.parse(renewed)) ? '' : ` for ${age(renewed, now)}`;
  return { state: 'gone', because: `${who} has not renewed its Lease${since}`, renewed };
}

import { ApiFailure } from '../../cluster/api-failure.ts';
import { type ListAndWatch, listAndWatch } from '../../cluster/follow/list-and-watch.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import { listKeyOf } from '../../cluster/list/list-objects.ts';
import { type Backoff, type Gate, pause } from '../../cluster/pacing.ts';
import { listForWatch, type WatchTarget, watchedName } from '../../cluster/watch.ts';
import { errorMessage, isGcError } from '../../errors.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import type { Execution } from '../run-context.ts';
import type { TrackedObject, TrackedObjects } from './tracked-objects.ts';

/** How a scope is looked at: the next worse way is taken when one is refused. */
type Way = 'watch' | 'list' | 'get';

/** A server that has just started may forbid what it allowed before: it is asked so often. */
const believedAfter = 3;

/** One kind in one place, followed until the run ends: list, watch, and again when that breaks. */
export class WatchedScope {
  readonly #following: Following;
  readonly #scope: FollowedObjects;
  readonly #onOpen: () => void;
  #way: Way;
  #failures = 0;
  /** Is it one of those that may be watched at the same time? */
  #hasRoom = false;
  #isForbidden = false;
  #isLost = false;
  #isOpen = false;
  #toldPolling = false;

  constructor(following: Following, scope: FollowedObjects, onOpen: () => void, way?: Way) {
    const { verbs } = scope.type;
    this.#following = following;
    this.#scope = scope;
    this.#onOpen = onOpen;
    const best = verbs.includes('watch') ? 'watch' : 'list';
    this.#way = way ?? (verbs.includes('list') ? best : 'get');
  }

  /** Ends with the run, or `forbidden` when it may not be listed but smaller parts of it might. */
  async run(): Promise<'ended' | 'forbidden'> {
    const from = this.#way === 'watch' ? this.#scope.from : undefined;
    await listAndWatch(this.#how(), this.#following.signal, from);
    this.#makeRoom();
    return this.#isForbidden ? 'forbidden' : 'ended';
  }

  #how(): ListAndWatch {
    const { execution, tracked, watches } = this.#following;
    return {
      client: execution.client,
      target: this.#scope,
      pace: this.#pace,
      list: () => (this.#way === 'get' ? this.#getEach() : this.#list()),
      rest: () => {
        if (this.#way === 'get') return this.#rest('may not be listed');
        if (this.#way === 'list') return this.#rest('may not be watched');
        if (tracked.isOver) return this.#rest(undefined);
        this.#hasRoom ||= watches.tryEnter();
        return this.#hasRoom ? undefined : this.#rest(undefined);
      },
      opened: () => this.#recover(),
      changed: ({ type, record }) => {
        if (type === 'deleted') tracked.gone(record.uid);
        else tracked.see(record);
        return undefined;
      },
      failed: (error, what) => this.#fail(error, what),
    };
  }

  #fail(error: unknown, what: 'list' | 'watch'): 'list' | 'watch' | 'end' {
    if (what === 'watch' && hasStatus(error, expired, notServed)) {
      this.#failures += 1;
      return 'list';
    }
    if (this.#isRefused(error)) {
      if (what === 'watch') {
        this.#take('list');
        return 'list';
      }
      this.#isForbidden = true;
      return 'end';
    }
    const definition = hasStatus(error, notServed) ? this.#definition : undefined;
    if (definition?.present === false) return this.#endWithDefinition();
    if (definition && this.#failures + 1 < believedAfter) {
      this.#failures += 1;
      return what;
    }
    this.#lose(error);
    if (hasStatus(error, notServed) && this.#failures >= believedAfter) this.#giveUp(error);
    return what;
  }

  /** The definition of the kind, if it is deleted as well. */
  get #definition(): TrackedObject | undefined {
    const name = groupResourceOf(this.#scope.type);
    return [...this.#following.tracked.all].find(
      ({ planned }) => planned.kind === 'CustomResourceDefinition' && planned.name === name,
    );
  }

  /** The kind is not served any more, and its objects were deleted with its definition. */
  #endWithDefinition(): 'end' {
    noteList(this.#following.tracked, this.#scope, new Set());
    if (this.#isLost) {
      const name = groupResourceOf(this.#scope.type);
      this.#report('ended', `CustomResourceDefinition ${name} was deleted, and all its objects`);
    }
    this.#open();
    return 'end';
  }

  #take(way: Way): void {
    this.#way = way;
    this.#makeRoom();
  }

  #makeRoom(): void {
    if (this.#hasRoom) this.#following.watches.leave();
    this.#hasRoom = false;
  }

  get #pace(): Backoff {
    const { rewatch: firstWait, longestRewatch: longestWait } = this.#following.execution.pace;
    return { firstWait, longestWait };
  }

  async #list(): Promise<string> {
    const { execution, tracked, signal, lists } = this.#following;
    try {
      const { records, resourceVersion } = await lists.run(() =>
        listForWatch(execution.client, this.#scope, signal),
      );
      for (const record of records) tracked.see(record);
      noteList(tracked, this.#scope, new Set(records.map(({ uid }) => uid)));
      return resourceVersion;
    } catch (error) {
      if (this.#scope.name === undefined || !this.#isRefused(error)) throw error;
      this.#take('get');
      return this.#getEach();
    }
  }

  /** One request for each object, for those who may not list. */
  async #getEach(): Promise<string> {
    const { execution, tracked, signal, lists } = this.#following;
    if (!this.#canGet) this.#giveUp(new Error('it can only be deleted'));
    for (const object of this.#scope.objects) {
      if (object.present === false || signal.aborted || !this.#canGet) continue;
      const { namespace, name, uid } = object.planned;
      const { record, problem } = await lists.run(() =>
        getObject(execution.client, { type: this.#scope.type, namespace, name }, { signal }),
      );
      if (problem?.reason === 'forbidden') tracked.lose(object, problem.message);
      else if (problem) throw new Error(problem.message);
      else if (record) tracked.see(record);
      else tracked.gone(uid);
    }
    return '';
  }

  /** Waits before the next read; `why` it is not watched is reported once. */
  async #rest(why: string | undefined): Promise<void> {
    const { execution, signal } = this.#following;
    this.#recover();
    if (why !== undefined && !this.#toldPolling) {
      this.#toldPolling = true;
      this.#report('polling', `${watchedName(this.#scope)} ${why}; polled instead`);
    }
    this.#following.polled += 1;
    await pause(execution.pace.poll + this.#following.polled * 50, signal);
    this.#following.polled -= 1;
  }

  get #canGet(): boolean {
    return this.#scope.type.verbs.includes('get');
  }

  #isRefused(error: unknown): boolean {
    return hasStatus(error, ...refusals) && (!this.#isOpen || this.#failures >= believedAfter);
  }

  #giveUp(error: unknown): void {
    const because = errorMessage(error);
    for (const object of this.#scope.objects) this.#following.tracked.lose(object, because);
    this.#open();
  }

  #lose(error: unknown): void {
    this.#failures += 1;
    // A limit for every request ends watches too, which is nothing to worry about.
    if (!this.#isLost && !(isGcError(error) && error.code === 'request-timeout')) {
      this.#isLost = true;
      this.#report('lost', errorMessage(error));
    }
  }

  #recover(): void {
    this.#open();
    this.#failures = 0;
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#report('resumed', `${watchedName(this.#scope)} can be seen again`);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#onOpen();
  }

  #report(state: 'lost' | 'resumed' | 'polling' | 'ended', message: string): void {
    this.#following.execution.emit({
      type: 'watch',
      resource: watchedName(this.#scope),
      state,
      message,
    });
  }
}

/** Asking again would not help: not permitted, or not possible. */
const refusals = [401, 403, 405];
/** The server does not remember what happened since this version. */
const expired = 410;
const notServed = 404;

function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiFailure && statuses.includes(error.status);
}

/** What all scopes of one run share. */
export interface Following {
  readonly execution: Execution;
  readonly tracked: TrackedObjects;
  /** Aborted when nothing needs to be followed any more. */
  readonly signal: AbortSignal;
  readonly watches: Gate;
  readonly lists: Gate;
  /** Scopes that are polled now: the more there are, the less often each is. */
  polled: number;
}

/** Objects that a complete list of a scope does not contain were removed. */
function noteList(
  tracked: TrackedObjects,
  scope: FollowedObjects,
  seen: ReadonlySet<string>,
): void {
  for (const { planned } of scope.objects) {
    if (!seen.has(planned.uid)) tracked.gone(planned.uid);
  }
  const apiVersion = apiVersionOf(scope.type);
  for (const [uid, { object }] of tracked.unplanned) {
    const isHere =
      object.kind === scope.type.kind &&
      object.apiVersion === apiVersion &&
      (scope.namespace === undefined || object.namespace === scope.namespace) &&
      (scope.name === undefined || object.name === scope.name);
    if (isHere && !seen.has(uid)) tracked.gone(uid);
  }
}

/** Objects that are followed with one list and one watch. */
export interface FollowedObjects extends WatchTarget {
  readonly objects: readonly TrackedObject[];
  /** The resourceVersion of a list that was read already, from which the watch goes on. */
  readonly from?: string | undefined;
}

/** A kind in more namespaces than this is watched in all namespaces together. */
const mostNamespaces = 3;

/**
 * What to list and watch so that every object is seen; the kinds with most objects first. Single
 * objects are watched by name, unless other objects of their kind and namespace are of interest.
 */
export function scopesOf(
  objects: Iterable<TrackedObject>,
  others: boolean,
  listed: ReadonlyMap<string, string> = new Map(),
): FollowedObjects[] {
  const byType = Map.groupBy(objects, ({ type }) => type);
  const scopes = [...byType].flatMap(([type, list]): FollowedObjects[] => {
    if (!type) return [];
    const whole = { type, namespace: undefined, objects: list };
    // A user who may see one namespace or node may lack the permission to list them all.
    if (!type.namespaced) return list.length === 1 ? splitByName(whole) : [whole];
    if (!others && list.length === 1) return splitByName(whole);
    const parts = splitByNamespace(whole);
    return parts.length > mostNamespaces ? [whole] : parts;
  });
  return scopes
    .map((scope) => ({ ...scope, from: listed.get(listKeyOf(scope)) || undefined }))
    .sort((a, b) => b.objects.length - a.objects.length);
}

/** The same objects, a scope for each namespace. */
export function splitByNamespace({ type, objects }: FollowedObjects): FollowedObjects[] {
  const byNamespace = Map.groupBy(objects, ({ planned }) => planned.namespace);
  return [...byNamespace].map(([namespace, list]) => ({ type, namespace, objects: list }));
}

/** The same objects, a scope for each. */
export function splitByName({ type, objects }: FollowedObjects): FollowedObjects[] {
  return objects.map((object) => ({
    type,
    namespace: object.planned.namespace || undefined,
    name: object.planned.name,
    objects: [object],
  }));
}

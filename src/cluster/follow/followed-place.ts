import { isDeepStrictEqual } from 'node:util';
import { errorMessage, isGcError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, isSecretType, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { ApiFailure, isDenied } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { type ListedPlace, listPlace } from '../list/list-kind.ts';
import type { ListOptions, WholeList } from '../list/list-objects.ts';
import { type Backoff, pause, reflectorBackoff } from '../pacing.ts';
import { readsFacts } from '../protobuf/decode-item.ts';
import { UnreadableJson } from '../read-body.ts';
import { type ListAndWatch, listAndWatch } from './list-and-watch.ts';

/** How soon another watch is opened after one broke. */
interface FollowPace extends Backoff {
  /** Kinds that cannot be watched, or not any more, are listed this often. */
  readonly poll: number;
  /** As in ListAndWatch. */
  readonly gathering: number;
}

export const followPace: FollowPace = { ...reflectorBackoff, poll: 15_000, gathering: 2_500 };

/** Receives the changes of a watched place. */
export interface PlaceListener {
  /** Something that records keep has changed. */
  changed?(): void;
  /** An object is known as it is now; `before`: as it was known. */
  stored?(record: ObjectRecord, before: ObjectRecord | undefined): void;
  /** An object does not exist any more. */
  dropped?(record: ObjectRecord): void;
  /** All objects of the place were read. */
  listed?(place: Informer): void;
  /** Its watch broke; what is shown of it is as old as that. */
  lost(place: Informer, reason: string): void;
  /** It is watched again; `listed`: with a list, as the server did not know any more what had changed. */
  found(place: Informer, listed: boolean): void;
  /** Throws what no other try can help. */
  failed(error: unknown): void;
}

/** All objects of one kind, in one namespace or everywhere: a list, kept up to date by a watch. */
export class Informer implements ListedPlace {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** What could not be read the last time; undefined where it is read. */
  problem: CoverageProblem | undefined;
  readonly #objects = new Map<string, ObjectRecord>();
  readonly #followed: Followed;
  readonly #whole: boolean;
  /** Facts of Secrets are only in lists: a watch of them would show their data. */
  readonly #factsByList: boolean;
  #isWatched: boolean;
  #isLost = false;

  constructor(followed: Followed, { type, namespace, records }: WholeList, isWatched: boolean) {
    this.type = type;
    this.namespace = namespace;
    this.#followed = followed;
    this.#isWatched = isWatched && type.verbs.includes('watch');
    const { facts } = followed.options;
    this.#factsByList = Boolean(facts) && isSecretType(type);
    this.#whole = readsFacts(type, facts) && !isSecretType(type);
    for (const record of records) this.#objects.set(namespacedName(record), record);
  }

  get records(): Iterable<ObjectRecord> {
    return this.#objects.values();
  }

  find(namespace: string, name: string): ObjectRecord | undefined {
    return this.#objects.get(namespacedName({ namespace, name }));
  }

  /** Follows from the version of the list on, until the signal ends it; without one, lists first. */
  run(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, pace } = this.#followed;
    const how: ListAndWatch = {
      client,
      target: this,
      whole: this.#whole,
      pace,
      gathering: pace.gathering,
      list: () => this.#list(signal),
      rest: () => (this.#isWatched ? undefined : pause(pace.poll, signal)),
      opened: () => this.#find(false),
      changed: ({ type, record }) => {
        if (type === 'deleted') this.#remove(record);
        else if (this.#see(record) && this.#factsByList) return 'list';
        return undefined;
      },
      failed: (error, what) => {
        if (!isTemporary(error)) {
          this.#followed.listener.failed(error);
          return 'end';
        }
        if (what === 'watch' && isRefused(error)) {
          this.#isWatched = false;
          return 'watch';
        }
        this.#lose(errorMessage(error));
        // Too old a version: what was missed is in a list.
        return isGcError(error) ? 'watch' : 'list';
      },
    };
    return listAndWatch(how, signal, from);
  }

  async #list(signal: AbortSignal): Promise<string | undefined> {
    const { client, options } = this.#followed;
    const listing: ListOptions = { ...options, freshness: 'latest', signal };
    const { records, problems, resourceVersion } = await listPlace(client, this, listing);
    const [problem] = problems;
    if (problem) {
      const isLost = problem.reason === 'forbidden' && this.#objects.size > 0;
      if (isLost) for (const key of [...this.#objects.keys()]) this.#drop(key);
      const isNew = this.problem?.message !== problem.message;
      this.problem = problem;
      if (isLost || isNew) this.#followed.listener.changed?.();
      this.#lose(problem.message);
      return undefined;
    }
    const before = new Set(this.#objects.keys());
    for (const record of records) {
      before.delete(namespacedName(record));
      this.#see(record);
    }
    for (const key of before) this.#drop(key);
    this.#find(true);
    this.#followed.listener.listed?.(this);
    return resourceVersion;
  }

  /** True of an object that was not there before. */
  #see(record: ObjectRecord): boolean {
    const key = namespacedName(record);
    const before = this.#objects.get(key);
    const isSame = before?.uid === record.uid;
    const keeps = isSame && this.#factsByList && record.facts === undefined;
    const seen = keeps ? { ...record, facts: before.facts } : record;
    this.#objects.set(key, seen);
    const { listener } = this.#followed;
    listener.stored?.(seen, before);
    // To compare them takes longer than to store them.
    if (listener.changed && (!before || !isAlike(before, seen))) listener.changed();
    return !isSame;
  }

  #remove(record: ObjectRecord): void {
    this.#drop(namespacedName(record));
  }

  #drop(key: string): void {
    const record = this.#objects.get(key);
    if (!record) return;
    this.#objects.delete(key);
    this.#followed.listener.dropped?.(record);
    this.#followed.listener.changed?.();
  }

  #find(listed: boolean): void {
    const wasProblem = this.problem !== undefined;
    if (this.#isLost || wasProblem) this.#followed.listener.found(this, listed);
    this.#isLost = false;
    this.problem = undefined;
    if (wasProblem) this.#followed.listener.changed?.();
  }

  #lose(reason: string): void {
    this.#isLost = true;
    this.#followed.listener.lost(this, reason);
  }
}

export interface Followed {
  readonly client: ClusterClient;
  readonly options: ListOptions;
  readonly listener: PlaceListener;
  readonly pace: FollowPace;
}

function namespacedName({ namespace, name }: Pick<ObjectRecord, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Is all the same but the version? Statuses change that records do not keep, and Leases are renewed all the time. */
function isAlike(before: ObjectRecord, after: ObjectRecord): boolean {
  const { resourceVersion, facts } = before;
  if (resourceVersion === after.resourceVersion) return true;
  const renewed = groupResourceOf(after.type) === 'leases.coordination.k8s.io' ? { facts } : {};
  return isDeepStrictEqual({ ...before }, { ...after, resourceVersion, ...renewed });
}

/** May not be watched, or is not watchable. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiFailure && (isDenied(error) || [404, 405].includes(error.status));
}

/** Does it concern this kind alone, or may another try help? A bug does neither. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ApiFailure || error instanceof UnreadableJson || isGcError(error);
}

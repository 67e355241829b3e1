import { ApiFailure, problemOf } from '../cluster/api-failure.ts';
import { type ListAndWatch, listAndWatch } from '../cluster/follow/list-and-watch.ts';
import { listForWatch } from '../cluster/watch.ts';
import { GcError, isGcError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { Server } from './server.ts';

/** Receives the changes of all watched kinds, in the order in which each kind changed. */
export interface ObjectListener {
  seen(before: ObjectRecord | undefined, after: ObjectRecord): void;
  gone(record: ObjectRecord): void;
}

/** The objects of one kind, kept up to date by a watch, and checked with a list on demand. */
export class WatchedKind {
  readonly type: ResourceType;
  readonly #server: Server;
  readonly #listener: ObjectListener;
  readonly #objects = new Map<string, ObjectRecord>();
  /** uids: an event that comes late must not bring an object back. */
  readonly #gone = new Set<string>();
  readonly #ended = new AbortController();

  constructor(server: Server, type: ResourceType, listener: ObjectListener) {
    this.type = type;
    this.#server = server;
    this.#listener = listener;
  }

  get objects(): Iterable<ObjectRecord> {
    return this.#objects.values();
  }

  /** Lists once, then watches until `stop`; resolves after the list. Throws when that fails. */
  async start(): Promise<void> {
    const version = await this.list();
    void this.#watch(version);
  }

  stop(): void {
    this.#ended.abort();
  }

  /** Reads all objects, reports changes that no watch has reported, and resolves with the list's version. */
  async list(): Promise<string> {
    const { client } = this.#server;
    const target = { type: this.type, namespace: undefined };
    const listed = await listForWatch(client, target, this.#signal).catch((error) => {
      if (isGcError(error)) throw error;
      const { reason: code, message } = problemOf(error, 'list', target);
      throw new GcError(message, { code, cause: error });
    });
    const { records, resourceVersion } = listed;
    const present = new Set(records.map(({ uid }) => uid));
    for (const record of records) this.#see(record);
    for (const record of [...this.#objects.values()]) {
      const isNewer = Number(record.resourceVersion) > Number(resourceVersion);
      if (!present.has(record.uid) && !isNewer) this.#lose(record);
    }
    return resourceVersion;
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#server.signal, this.#ended.signal]);
  }

  #watch(from: string): Promise<void> {
    const how: ListAndWatch = {
      client: this.#server.client,
      target: { type: this.type, namespace: undefined },
      list: () => this.list(),
      changed: ({ type, record }) => {
        if (type === 'deleted') this.#lose(record);
        else this.#see(record);
        return undefined;
      },
      // Too old a version, or whatever else: what was missed is in a list.
      failed: (error, what) => (what === 'list' || error instanceof ApiFailure ? 'list' : 'watch'),
    };
    return listAndWatch(how, this.#signal, from);
  }

  #see(record: ObjectRecord): void {
    const before = this.#objects.get(record.uid);
    if (this.#gone.has(record.uid) || (before && !isNewer(record, before))) return;
    this.#objects.set(record.uid, record);
    this.#listener.seen(before, record);
  }

  #lose(record: ObjectRecord): void {
    const known = this.#objects.get(record.uid);
    this.#gone.add(record.uid);
    if (!this.#objects.delete(record.uid)) return;
    this.#listener.gone(known ?? record);
  }
}

function isNewer(a: ObjectRecord, b: ObjectRecord): boolean {
  return Number(a.resourceVersion) > Number(b.resourceVersion);
}

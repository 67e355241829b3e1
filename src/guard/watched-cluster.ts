import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import { followPace, Informer, type PlaceListener } from '../cluster/follow/followed-place.ts';
import { atOnce, inParallel } from '../cluster/in-parallel.ts';
import { type Discovery, discover } from '../cluster/list/discover.ts';
import { howToList, type ListOptions } from '../cluster/list/list-objects.ts';
import { Bell, pause } from '../cluster/pacing.ts';
import { StringPool } from '../cluster/protobuf/string-pool.ts';
import { loadManagerSettings } from '../cluster/settings/load-settings.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import {
  groupResourceOf,
  isDeletable,
  isSecretType,
  type ResourceType,
} from '../kube/resource-type.ts';
import { ResourceTypes } from '../kube/resource-types.ts';
import { timestampOf } from '../kube/time.ts';
import { isCustomResourceDefinition } from '../kube/well-known-kinds.ts';
import { type SeenSettings, seenSettingsIn } from '../settings/controller-settings.ts';
import { effectiveSettings } from '../settings/effective-settings.ts';
import { type Coverage, discoveryProblem } from '../snapshot/coverage.ts';
import { inOrder, type Snapshot } from '../snapshot/snapshot.ts';
import { RecordIndex } from './record-index.ts';

/** Definitions come and go: what is served is asked for this often, in milliseconds, and soon after one has changed. */
const discoverEvery = 60_000;
const discoverSoon = 1_000;

interface WatchedKind {
  readonly place: Informer;
  readonly ended: AbortController;
  isListed: boolean;
  /** Epoch milliseconds: since when its watch is broken. */
  lostSince: number | undefined;
}

/** The state of a cluster at a moment. */
export type KnownCluster = Pick<
  WatchedCluster,
  'index' | 'types' | 'ofKind' | 'find' | 'records' | 'settings' | 'snapshotOf'
>;

/** Every kind of a cluster, listed once and watched since; of Secrets the metadata alone. */
export class WatchedCluster {
  readonly index = new RecordIndex();
  /** How the controllers run, as far as the Pods of the control plane show it. */
  settings: SeenSettings = {};
  readonly #client: ClusterClient;
  readonly #signal: AbortSignal;
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #strings = new StringPool();
  readonly #again = new Bell();
  readonly #failed: (error: unknown) => void;
  #discovery: Discovery | undefined;
  #isListed = false;
  /** Has a definition changed since it was asked what is served? */
  #isDiscoveryOld = false;

  /** `failed` is called with errors that a retry cannot solve. */
  constructor(client: ClusterClient, signal: AbortSignal, failed: (error: unknown) => void) {
    this.#client = client;
    this.#signal = signal;
    this.#failed = failed;
  }

  /** Were all kinds asked for? What could not be read is in the coverage. */
  get isSynced(): boolean {
    return this.#isListed;
  }

  /** The kinds whose watch is broken, and since when: epoch milliseconds. */
  get stale(): { readonly kinds: string[]; readonly since: number } | undefined {
    // What could never be read is a gap of the coverage.
    const lost = [...this.#kinds.values()].flatMap(({ isListed, lostSince, place }) =>
      isListed && lostSince !== undefined ? { since: lostSince, type: place.type } : [],
    );
    if (lost.length === 0) return undefined;
    const since = Math.min(...lost.map((one) => one.since));
    return { kinds: lost.map(({ type }) => groupResourceOf(type)).sort(), since };
  }

  /** Lists all kinds, and follows them until the signal ends that. */
  async follow(): Promise<void> {
    await this.#readKinds(await this.#discover());
    this.#isListed = true;
    void this.#followKinds();
  }

  /** What is served under such a name (`jobs.batch`), in the version that is listed. */
  typeOf(resource: string): ResourceType | undefined {
    return this.#kinds.get(resource)?.place.type ?? this.types.versions(resource)[0];
  }

  get types(): ResourceTypes {
    if (!this.#discovery) throw new Error('the cluster has not been asked yet');
    return this.#discovery.types;
  }

  /** The objects of a kind, in whatever version they were listed. */
  ofKind(resource: string): Iterable<ObjectRecord> {
    return this.#kinds.get(resource)?.place.records ?? [];
  }

  /** An object as it is known; in whatever version it was listed. */
  find(resource: string, namespace: string, name: string): ObjectRecord | undefined {
    return this.#kinds.get(resource)?.place.find(namespace, name);
  }

  /** A snapshot with these objects only, and with the coverage of the watches. */
  snapshotOf(records: Iterable<ObjectRecord>): Snapshot {
    const discovery = this.#discovery;
    if (!discovery) throw new Error('the cluster has not been asked yet');
    return inOrder({
      records: [...records],
      types: discovery.types,
      coverage: this.#coverage(discovery),
      observedAt: timestampOf(Date.now()),
      serverVersion: discovery.serverVersion,
      origin: { kind: 'cluster', server: this.#client.server },
    });
  }

  /** Everything that is known. */
  *records(): Iterable<ObjectRecord> {
    for (const { place } of this.#kinds.values()) yield* place.records;
  }

  #coverage({ types }: Discovery): Coverage {
    const read = [...this.#kinds.values()].filter((kind) => kind.isListed && !kind.place.problem);
    return {
      read: read.map(({ place }) => ({ resource: groupResourceOf(place.type) })),
      asked: [],
      problems: [
        ...types.failed.map(discoveryProblem),
        ...[...this.#kinds.values()].flatMap(({ place }) => place.problem ?? []),
      ],
    };
  }

  async #discover(): Promise<Discovery> {
    const [discovery, facts] = await Promise.all([
      discover(this.#client, { signal: this.#signal }),
      loadManagerSettings(this.#client),
    ]);
    this.settings = seenSettingsIn(effectiveSettings(facts));
    // What is known already keeps its types.
    const known = new Map(this.#discovery?.types.all.map((type) => [JSON.stringify(type), type]));
    const all = discovery.types.all.map((type) => known.get(JSON.stringify(type)) ?? type);
    this.#discovery = { ...discovery, types: new ResourceTypes(all, discovery.types) };
    return this.#discovery;
  }

  async #followKinds(): Promise<void> {
    while (!this.#signal.aborted) {
      if (!this.#isDiscoveryOld) await this.#again.wait(discoverEvery, this.#signal);
      await pause(discoverSoon, this.#signal);
      this.#isDiscoveryOld = false;
      try {
        await this.#readKinds(await this.#discover());
      } catch {
        // The watches show that the server does not answer; what it serves is asked for again.
      }
    }
  }

  /** Begins to follow kinds and versions that are served by now, and ends what is not served any more. */
  async #readKinds(discovery: Discovery): Promise<void> {
    // Events are never collected (GC-8).
    const wanted = discovery.types.preferred().filter(isDeletable);
    const names = new Set(wanted.map(groupResourceOf));
    for (const [name, kind] of this.#kinds) {
      if (names.has(name) || discovery.types.failed.length > 0) continue;
      this.#kinds.delete(name);
      this.#end(kind);
    }
    const served = new Set(discovery.types.all);
    const added = wanted.filter((type) => {
      const known = this.#kinds.get(groupResourceOf(type));
      return known === undefined || !served.has(known.place.type);
    });
    await inParallel(added, atOnce.long, (type) => this.#followKind(type, discovery));
  }

  #end({ place, ended }: WatchedKind): void {
    ended.abort();
    for (const record of place.records) this.index.remove(record);
  }

  /** Resolves when the kind was listed, or could not be; until then it is known as the version before it was seen. */
  #followKind(type: ResourceType, discovery: Discovery): Promise<void> {
    return new Promise((resolve) => {
      const name = groupResourceOf(type);
      const ended = new AbortController();
      const options: ListOptions = {
        ...howToList(discovery, 'latest'),
        freshness: 'latest',
        strings: this.#strings,
        prefersHttp2: true,
        // What Secrets hold is never asked for.
        facts: !isSecretType(type),
      };
      const settled = () => {
        const before = this.#kinds.get(name);
        this.#kinds.set(name, kind);
        if (before && before !== kind) this.#end(before);
        resolve();
      };
      const listener = this.#listenerOf(() => kind, settled);
      const followed = { client: this.#client, options, listener, pace: followPace };
      const list = { type, namespace: undefined, records: [], resourceVersion: '' };
      const place = new Informer(followed, list, true);
      const kind: WatchedKind = { place, ended, isListed: false, lostSince: undefined };
      void place.run(undefined, AbortSignal.any([this.#signal, ended.signal]));
    });
  }

  #listenerOf(kind: () => WatchedKind, settled: () => void): PlaceListener {
    const noteDefinition = (record: ObjectRecord) => {
      if (!isCustomResourceDefinition(record)) return;
      this.#isDiscoveryOld = true;
      this.#again.ring();
    };
    return {
      stored: (record, before) => {
        this.index.put(record, before);
        noteDefinition(record);
      },
      dropped: (record) => {
        this.index.remove(record);
        noteDefinition(record);
      },
      listed: () => {
        kind().isListed = true;
        settled();
      },
      lost: () => {
        kind().lostSince ??= Date.now();
        settled();
      },
      found: () => {
        kind().lostSince = undefined;
      },
      failed: this.#failed,
    };
  }
}

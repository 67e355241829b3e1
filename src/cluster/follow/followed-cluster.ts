import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { type ClusterScope, type FromClusterOptions, fromCluster } from '../from-cluster.ts';
import { discover } from '../list/discover.ts';
import type { WholeList } from '../list/list-objects.ts';
import { confirmMissingOwners } from '../list/look-up-owners.ts';
import { pause } from '../pacing.ts';
import { type Followed, followPace, Informer, type PlaceListener } from './followed-place.ts';

/** Each takes a connection; kinds beyond are listed again and again. */
const mostWatches = 200;
/** Kinds are added and removed with their definitions: discovery is repeated this often, in milliseconds. */
const discoverEvery = 60_000;

interface FollowedPart {
  readonly client: ClusterClient;
  readonly scope: ClusterScope;
  readonly options: FromClusterOptions;
  readonly listener: PlaceListener;
  readonly signal: AbortSignal;
}

/** All lists of one moment, and the places that are followed since. */
interface FollowedLists {
  readonly first: Snapshot;
  /** performance.now() when the first snapshot was taken. */
  readonly at: number;
  readonly places: readonly Informer[];
  readonly ended: AbortController;
}

/**
 * Reads a part of a cluster once, and then watches each kind until the signal ends it. Returns a function for the
 * present snapshot.
 */
export async function followCluster(part: FollowedPart): Promise<() => Promise<Snapshot>> {
  const { client, options, listener, signal } = part;
  let reading = await readPart(part);
  /** uids of owners that were requested, and do not exist. */
  let gone: ReadonlySet<string> = new Set();
  /** Reads everything again when other kinds are served than before. */
  const lookForKinds = async () => {
    while (!signal.aborted) {
      await pause(discoverEvery, signal);
      try {
        const discovery = await discover(client, { signal });
        if (servedIn(discovery.types) === servedIn(reading.first.types)) continue;
        const again = { ...options, discovery, onProgress: undefined };
        const read = await readPart({ ...part, options: again });
        reading.ended.abort();
        reading = read;
        listener.changed?.();
      } catch {
        // The watches report that the server does not answer; discovery is repeated later.
      }
    }
  };
  void lookForKinds();
  return async () => {
    const snapshot = presentSnapshot(reading);
    // What happened to an owner may arrive later than what happened to its dependents.
    const confirmed = await confirmMissingOwners(client, snapshot, options, { gone });
    // What was not answered may be there.
    if (confirmed.coverage === snapshot.coverage) gone = missingUids(confirmed.records);
    return confirmed;
  };
}

function presentSnapshot({ first, places, at }: FollowedLists): Snapshot {
  const records: ObjectRecord[] = [];
  for (const place of places) for (const record of place.records) records.push(record);
  const lost = places.filter(({ problem }) => problem?.reason === 'forbidden');
  const { read, asked, problems } = first.coverage;
  const isLost = (resource: string) => lost.some(({ type }) => groupResourceOf(type) === resource);
  const now = Date.parse(first.observedAt) + performance.now() - at;
  const { observedFrom: _, ...rest } = first;
  return {
    ...rest,
    records,
    observedAt: timestampOf(now),
    coverage: {
      read: read.filter(({ resource }) => !isLost(resource)),
      asked,
      problems: [...problems, ...places.flatMap(({ problem }) => problem ?? [])],
    },
  };
}

async function readPart(part: FollowedPart): Promise<FollowedLists> {
  const { client, scope, options, listener } = part;
  const lists: WholeList[] = [];
  const first = await fromCluster(client, scope, {
    ...options,
    onListed: (list) => lists.push(list),
  });
  const ended = new AbortController();
  const signal = AbortSignal.any([part.signal, ended.signal]);
  const followed: Followed = { client, options, listener, pace: followPace };
  const places = lists.map((list, index) => {
    const place = new Informer(followed, list, index < mostWatches);
    void place.run(list.resourceVersion, signal);
    return place;
  });
  return { first, at: performance.now(), places, ended };
}

function missingUids(records: readonly ObjectRecord[]): ReadonlySet<string> {
  const uids = new Set(records.map(({ uid }) => uid));
  const named = records.flatMap(({ ownerReferences }) => ownerReferences.map(({ uid }) => uid));
  return new Set(named.filter((uid) => !uids.has(uid)));
}

/** A text that is equal if the same kinds are served in the same versions. */
function servedIn(types: ResourceTypes): string {
  const names = types.preferred().map((type) => `${groupResourceOf(type)} ${type.version}`);
  return names.sort().join();
}

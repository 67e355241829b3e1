import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { GetOptions } from '../../cluster/get.ts';
import {
  type FetchedManifest,
  fetchManifests,
  type WantedManifest,
} from '../../cluster/list/fetch-manifests.ts';
import { type ObjectLocation, referenceToPlace } from '../../kube/object-reference.ts';
import { type Found, LiveObjects } from '../plan/live-objects.ts';
import type { OwnerLookup } from '../relink/owner-lookup.ts';

/** Asks for everything that a restoration depends on. Kinds that are not served yet have no objects. */
export async function lookUpLive(
  client: ClusterClient,
  places: readonly ObjectLocation[],
  lookup: OwnerLookup,
  options: GetOptions & { readonly onProgress?: (done: number) => void } = {},
): Promise<LiveObjects> {
  const live = new LiveObjects();
  const wanted: WantedManifest[] = [];
  for (const place of places) {
    if (lookup.isServed(place.type)) wanted.push(wantedAt(place));
    else live.set(place, { found: 'nothing' });
  }
  let done = 0;
  const { onProgress, ...getOptions } = options;
  const take = async (fetched: FetchedManifest) => {
    const { type, object } = fetched.wanted;
    live.set({ ...object, type }, foundBy(fetched));
    onProgress?.(++done);
  };
  await fetchManifests(client, wanted, take, getOptions);
  return live;
}

/** Whatever object is at a place, to be read whole. */
export function wantedAt(place: ObjectLocation): WantedManifest {
  return { object: referenceToPlace(place), type: place.type };
}

function foundBy(fetched: FetchedManifest): Found {
  if ('manifest' in fetched) return { found: 'object', manifest: fetched.manifest };
  return fetched.unread === 'gone'
    ? { found: 'nothing' }
    : { found: 'unknown', message: fetched.message };
}

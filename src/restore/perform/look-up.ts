import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { GetOptions } from '../../cluster/get.ts';
import { type FetchedManifest, fetchManifests } from '../../cluster/list/fetch-manifests.ts';
import { type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
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
  const served = places.filter((place) => lookup.isServed(place.type));
  for (const place of places) if (!lookup.isServed(place.type)) live.setAbsent(place);
  const wanted = served.map((place) => ({
    object: referenceTo({ ...place, uid: '' }),
    type: place.type,
  }));
  let done = 0;
  const { onProgress, ...getOptions } = options;
  await fetchManifests(
    client,
    wanted,
    async (fetched) => {
      const { type, object } = fetched.wanted;
      live.set({ type, namespace: object.namespace, name: object.name }, foundBy(fetched));
      onProgress?.(++done);
    },
    getOptions,
  );
  return live;
}

function foundBy(fetched: FetchedManifest): Found {
  if ('manifest' in fetched) return { found: 'object', manifest: fetched.manifest };
  return fetched.unread === 'gone'
    ? { found: 'nothing' }
    : { found: 'unknown', message: fetched.message };
}

import { judge } from '../../controllers/garbage-collector/judge.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { OwnerLookup } from '../relink/owner-lookup.ts';
import type { LiveObjects } from './live-objects.ts';
import type { AsSaved } from './restoration.ts';
import { snapshotAt } from './snapshot-at.ts';

/**
 * What the garbage collector would do if the objects that are not there were created as they were
 * saved, with their old references: by key, and only where it would act or the outcome is unknown.
 */
export function judgeAsSaved(
  saved: readonly SavedObject[],
  places: readonly ObjectLocation[],
  live: LiveObjects,
  types: ResourceTypes,
  lookup: OwnerLookup,
): ReadonlyMap<string, AsSaved> {
  const known = places.filter((place) => live.at(place).found !== 'unknown');
  const there = known.flatMap((place) => {
    const found = live.at(place);
    return found.found === 'object' ? recordOf(found.manifest, place.type) : [];
  });
  const created = saved
    .filter((object) => object.manifest && live.at(object).found === 'nothing')
    .map((object, index) => ({
      object,
      record: {
        ...recordOf(object.manifest ?? {}, object.type),
        ownerReferences: object.ownerReferences,
        namespace: object.namespace,
        // No saved reference can name the uid of an object that is created now.
        uid: `new object ${index}`,
        deletionTimestamp: undefined,
      },
    }));
  const defined = saved.map(({ type }) => type).filter((type) => !lookup.isServed(type));
  const records = [...there, ...created.map(({ record }) => record)];
  const served = new ResourceTypes([...types.all, ...new Set(defined)], types);
  const graph = buildGraph(snapshotAt(known, records, served));
  const judged = new Map<string, AsSaved>();
  for (const { object, record } of created) {
    const { action, because, rule } = judge(graph, record);
    if (action === 'delete' || action === 'patch' || action === 'unknown') {
      judged.set(locationKey(object), { action, because, rule });
    }
  }
  return judged;
}

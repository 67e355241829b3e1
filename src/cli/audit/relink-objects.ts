import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../../restore/backup/saved-object.ts';
import { LiveObjects } from '../../restore/plan/live-objects.ts';
import { OwnerLookup } from '../../restore/relink/owner-lookup.ts';
import { type RelinkedReference, relinkReference } from '../../restore/relink/relink.ts';
import type { PlacedObject } from '../../restore/rewrite/rewrite-manifests.ts';
import type { Session } from '../input/session.ts';

/** The references of each object, in the order of `objectsIn`. */
export type Relinked = readonly (readonly RelinkedReference[])[];

/** Looks in the cluster for the owners that the references of manifests name. */
export async function relinkObjects(
  objects: readonly PlacedObject[],
  session: Session,
): Promise<Relinked> {
  const { client, types } = await session.cluster();
  const saved = await savedObjects(objects, types, client.namespace);
  const lookup = new OwnerLookup(types, saved);
  const owners = new Map<string, ObjectLocation>();
  for (const object of saved) {
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place) owners.set(locationKey(place.at), place.at);
    }
  }
  const { lookUpLive } = await import('../../restore/perform/look-up.ts');
  const live =
    owners.size === 0 ? new LiveObjects() : await lookUpLive(client, [...owners.values()], lookup);
  const toCome = new Map(
    saved
      .filter((object) => live.at(object).found === 'nothing')
      .map((object) => [locationKey(object), object]),
  );
  const context = { lookup, live, toCome, sameCluster: false };
  return saved.map((object) =>
    object.ownerReferences.map((reference) => relinkReference(object, reference, context)),
  );
}

async function savedObjects(
  objects: readonly PlacedObject[],
  types: ResourceTypes,
  namespace: string,
): Promise<SavedObject[]> {
  const { crdTypes, isCustomResourceDefinition } = await import('../../files/crd-types.ts');
  const { inferType } = await import('../../files/kind-table.ts');
  const defined = objects.flatMap(({ object }) =>
    isCustomResourceDefinition(object) ? crdTypes(object) : [],
  );
  const typeOf = (object: Json): ResourceType => {
    const [apiVersion, kind] = [textOf(object.apiVersion) ?? '', textOf(object.kind) ?? ''];
    const own = defined.find(
      (type) => `${type.group}/${type.version}` === apiVersion && type.kind === kind,
    );
    const named = jsonOf(object.metadata)?.namespace !== undefined;
    return types.find(apiVersion, kind) ?? own ?? inferType(apiVersion, kind, named);
  };
  return objects.map(({ object }) => {
    const type = typeOf(object);
    const { name, uid, ownerReferences, finalizers, namespace: own } = recordOf(object, type);
    return {
      type,
      name,
      uid,
      ownerReferences,
      finalizers,
      namespace: type.namespaced ? own || namespace : '',
      phase: undefined,
      manifest: object as KubeObject,
      fault: undefined,
      defines: isCustomResourceDefinition(object) ? crdTypes(object) : undefined,
    };
  });
}

import { LiveObjects } from '../../backup/live-objects.ts';
import type { PlacedObject } from '../../backup/mend/mended-text.ts';
import { OwnerLookup } from '../../backup/owner-lookup.ts';
import { relinkReference } from '../../backup/relink.ts';
import { type Coordinates, keyOf, type SavedObject } from '../../backup/saved-object.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type Json, jsonOf, textOf } from '../../snapshot/json-value.ts';
import type { CommonFlags } from '../flags.ts';
import { openCluster } from '../input.ts';
import type { Relinked } from './mend-manifests.ts';

/** Looks in the cluster for the owners that the references of manifests name. */
export async function relinkObjects(
  flags: CommonFlags,
  objects: readonly PlacedObject[],
): Promise<Relinked> {
  const cluster = await openCluster(flags);
  try {
    const { client, types } = cluster;
    const saved = await savedObjects(objects, types, client.namespace);
    const lookup = new OwnerLookup(types, saved);
    const owners = new Map<string, Coordinates>();
    for (const object of saved) {
      for (const reference of object.ownerReferences) {
        const place = lookup.placeOf(object, reference);
        if ('at' in place) owners.set(keyOf(place.at), place.at);
      }
    }
    const { lookUpLive } = await import('../../executor/restore-look-up.ts');
    const live =
      owners.size === 0
        ? new LiveObjects()
        : await lookUpLive(client, [...owners.values()], lookup);
    const toCome = new Map(
      saved
        .filter((object) => live.at(object).found === 'nothing')
        .map((object) => [keyOf(object), object]),
    );
    const context = { lookup, live, toCome, sameCluster: false };
    return saved.map((object) =>
      object.ownerReferences.map((reference) => relinkReference(object, reference, context)),
    );
  } finally {
    cluster.client.close();
  }
}

async function savedObjects(
  objects: readonly PlacedObject[],
  types: ResourceTypes,
  namespace: string,
): Promise<SavedObject[]> {
  const { crdTypes, isCustomResourceDefinition } = await import('../../sources/files/crd-types.ts');
  const { inferType } = await import('../../sources/files/infer-type.ts');
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

import { judge } from '../../controllers/garbage-collector/judge.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { apiVersionOf, parseApiVersion } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import type { ClassifiedReference } from '../../snapshot/graph/classify-reference.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import {
  type Found,
  isTerminating,
  type LiveObjects,
  snapshotAt,
  uidOf,
} from '../plan/live-objects.ts';
import type { AsSaved } from '../plan/restoration.ts';
import type { OwnerLookup } from './relink.ts';

/** What will happen to an object that a restoration has created or found. */
export interface RestoredJudgement {
  /** lost: it was deleted again, going, or will be collected; unknown: its owners could not be looked up. */
  readonly end: 'stays' | 'lost' | 'unknown';
  readonly because: string;
  /** Of the object that is there now. */
  readonly uid: string | undefined;
  /** References to old uids of objects that were restored, with the uids of now. */
  readonly fixable: readonly FixedReference[];
}

/** A reference to set, and the uid that it may still have from before. */
export interface FixedReference {
  readonly reference: OwnerReference;
  readonly staleUid: string;
}

/**
 * Judges restored objects as the garbage collector will: every owner by the API version, kind,
 * namespace, name and uid that a reference names (GC-27 to GC-30). `places` are all that `live` was
 * asked for.
 */
export function judgeRestored(
  saved: readonly SavedObject[],
  places: readonly ObjectLocation[],
  live: LiveObjects,
  types: ResourceTypes,
): ReadonlyMap<string, RestoredJudgement> {
  const graph = buildGraph(snapshotAt(places, live, types));
  const successors = successorsOf(saved, live);
  const judged = new Map<string, RestoredJudgement>();
  for (const object of saved) {
    const found = live.at(object);
    judged.set(locationKey(object), judgementOf(object, found, graph, successors));
  }
  return judged;
}

function judgementOf(
  object: SavedObject,
  found: Found,
  graph: Graph,
  successors: ReadonlyMap<string, Successor>,
): RestoredJudgement {
  if (found.found === 'unknown') {
    const because = `it is unknown whether it is still there: ${found.message}`;
    return { end: 'unknown', because, uid: undefined, fixable: [] };
  }
  if (found.found === 'nothing') {
    const because = 'it was deleted again by another client';
    return { end: 'lost', because, uid: undefined, fixable: [] };
  }
  const uid = uidOf(found.manifest);
  if (isTerminating(found.manifest)) {
    return { end: 'lost', because: 'it is being deleted again', uid, fixable: [] };
  }
  const { type, namespace, name } = object;
  const record = graph.at(type, namespace, name) ?? recordOf(found.manifest, type);
  const { action, because, rule, references } = judge(graph, record);
  const fixable = references.flatMap((reference) => fixed(object, reference, successors));
  const isHeld = references.some((reference) => reference.class === 'solid');
  if (action === 'delete') {
    const why = `the garbage collector will delete it (${rule}): ${because}`;
    return { end: 'lost', because: why, uid, fixable };
  }
  if (action === 'unknown' && !isHeld) {
    return { end: 'unknown', because: `it is unknown whether it stays: ${because}`, uid, fixable };
  }
  return { end: 'stays', because, uid, fixable };
}

type Successor = Pick<SavedObject, 'type' | 'uid'>;

/** The object that now has the kind and name of each saved object, by these and the saved uid. */
function successorsOf(
  saved: readonly SavedObject[],
  live: LiveObjects,
): ReadonlyMap<string, Successor> {
  const successors = new Map<string, Successor>();
  for (const { type, namespace, name, uid } of saved) {
    const found = live.at({ type, namespace, name });
    if (uid === '' || found.found !== 'object' || isTerminating(found.manifest)) continue;
    const key = `${type.group} ${type.kind} ${namespace} ${name} ${uid}`;
    successors.set(key, { type, uid: uidOf(found.manifest) });
  }
  return successors;
}

/** The owner is the same in every version of its kind. */
function fixed(
  { type, namespace }: SavedObject,
  { reference, outcome }: ClassifiedReference,
  successors: ReadonlyMap<string, Successor>,
): FixedReference[] {
  const { apiVersion, kind, name, uid } = reference;
  const group = parseApiVersion(apiVersion)?.group;
  const within = type.namespaced ? [namespace, ''] : [''];
  const successor = within
    .map((place) => successors.get(`${group} ${kind} ${place} ${name} ${uid}`))
    .find((one) => one !== undefined);
  if (!successor || successor.uid === uid) return [];
  // The garbage collector tries no other version (GC-29).
  const readable = outcome === 'unserved-version' ? apiVersionOf(successor.type) : apiVersion;
  return [{ reference: { ...reference, apiVersion: readable, uid: successor.uid }, staleUid: uid }];
}

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
  const served = new ResourceTypes([...types.all, ...new Set(defined)], types);
  const toCome = created.map(({ record }) => record);
  const graph = buildGraph(snapshotAt(places, live, served, toCome));
  const judged = new Map<string, AsSaved>();
  for (const { object, record } of created) {
    const { action, because, rule } = judge(graph, record);
    if (action === 'delete' || action === 'patch' || action === 'unknown') {
      judged.set(locationKey(object), { action, because, rule });
    }
  }
  return judged;
}

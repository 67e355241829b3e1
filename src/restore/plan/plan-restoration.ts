import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { ownFinalizers, type SavedObject } from '../backup/saved-object.ts';
import { missingReferences } from '../relink/missing-references.ts';
import { OwnerLookup, type RelinkContext, relinkReference } from '../relink/relink.ts';
import { isTerminating, type LiveObjects } from './live-objects.ts';
import {
  accountOf,
  claimOf,
  type Decision,
  firstDecision,
  type RestoreOptions,
  volumeOf,
} from './not-restored.ts';
import { bringBackVolume, prepareManifest, volumeOfExisting } from './prepare-manifest.ts';
import type { PlannedRestoration, RelinkedReference } from './restoration.ts';
import { kindRank, orderRestoration } from './restore-order.ts';

interface PlanRestorationOptions extends RestoreOptions, Pick<RelinkContext, 'sameCluster'> {
  /** The objects were deleted: their finalizers have run. */
  readonly deleted: boolean;
  /** They were saved before a fix: a reference that is missing was removed by it. */
  readonly isOfFix?: boolean | undefined;
}

/** What is decided by; what is to come changes meanwhile. */
interface PlanningContext extends RelinkContext, PlanRestorationOptions {
  readonly toCome: Map<string, SavedObject>;
}

interface Draft {
  readonly saved: SavedObject;
  decision: Decision;
  references: readonly RelinkedReference[];
}

/** Decides about every saved object, and in which order they come: what others need first. */
export function planRestoration(
  saved: readonly SavedObject[],
  live: LiveObjects,
  types: ResourceTypes,
  options: PlanRestorationOptions,
): PlannedRestoration[] {
  const lookup = new OwnerLookup(types, saved);
  const context: PlanningContext = { ...options, lookup, live, toCome: new Map() };
  const drafts = saved.map((object): Draft => {
    const decision = firstDecision(object, context);
    if (decision.action === 'create') context.toCome.set(locationKey(object), object);
    return { saved: object, decision, references: [] };
  });
  leaveOutHopeless(drafts, context);
  return inOrder(drafts, context);
}

/** Leaves out what cannot be created and what needs it, until nothing changes any more. */
function leaveOutHopeless(drafts: readonly Draft[], context: PlanningContext): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const draft of drafts) {
      draft.references = draft.saved.ownerReferences.map((reference) =>
        relinkReference(draft.saved, reference, context),
      );
      if (draft.decision.action !== 'create') continue;
      const because = hopeless(draft, context);
      if (because === undefined) continue;
      draft.decision = { action: 'cannot', because };
      context.toCome.delete(locationKey(draft.saved));
      changed = true;
    }
  }
}

function hopeless(
  { saved, references }: Draft,
  { lookup, live, toCome, withoutOwners }: PlanningContext,
): string | undefined {
  const namespace = namespaceOf(saved, lookup);
  if (namespace && !toCome.has(locationKey(namespace))) {
    const found = live.at(namespace);
    if (found.found === 'nothing') {
      return `there is no namespace ${namespace.name}: create it, then run this again`;
    }
    if (found.found === 'object' && isTerminating(found.manifest)) {
      return `the namespace ${namespace.name} is being deleted: nothing can be created in it`;
    }
  }
  const definition = lookup.isServed(saved.type) ? undefined : definitionOf(saved, lookup);
  if (
    definition &&
    !toCome.has(locationKey(definition)) &&
    live.at(definition).found !== 'object'
  ) {
    return `its kind is not served, and ${inWords(definition)} is not restored`;
  }
  if (references.length === 0 || withoutOwners) return undefined;
  if (references.some(({ end }) => end === 'solid' || end === 'frozen')) return undefined;
  const because = references.map(({ told }) => told.because).join('; ');
  return references.some(({ end }) => end === 'unknown')
    ? `it is unknown whether it would stay: ${because}`
    : `the garbage collector would delete it at once (GC-22.13): ${because}; --without-owners creates it without an owner`;
}

function inOrder(drafts: readonly Draft[], context: PlanningContext): PlannedRestoration[] {
  const { lookup } = context;
  const { waves, later, end } = orderRestoration(
    drafts
      .filter(({ decision }) => decision.action === 'create')
      .map(({ saved, references }) => ({
        saved,
        hard: neededBy(saved, lookup).map(locationKey),
        soft: references.flatMap(({ owner }) => owner ?? []),
      })),
  );
  const planned = drafts.map((draft): PlannedRestoration => {
    const { saved, decision, references } = draft;
    const base = { saved, ...decision, references, notes: [], later: new Set<string>() };
    const wave = waves.get(locationKey(saved)) ?? end;
    if (decision.action === 'exists') return { ...base, ...existing(draft, context), wave };
    if (decision.action !== 'create' || !saved.manifest) return { ...base, wave };
    const prepared = prepareManifest(saved.type, saved.manifest);
    const { notes, ...volume } = bringBackVolume(saved, prepared.manifest, context);
    return {
      ...base,
      wave,
      notes: [...prepared.notes, ...notes, ...finalizerNotes(saved, context)],
      ...volume,
      later: later.get(locationKey(saved)) ?? new Set(),
    };
  });
  return planned.sort((a, b) => a.wave - b.wave || compare(a, b));
}

/** What must be there before an object can be created. */
function neededBy(saved: SavedObject, lookup: OwnerLookup): ObjectLocation[] {
  const places = [
    namespaceOf(saved, lookup),
    lookup.isServed(saved.type) ? undefined : definitionOf(saved, lookup),
    volumeOf(saved, lookup),
    accountOf(saved, lookup),
  ];
  return places.filter((place) => place !== undefined);
}

/** It is there: is a reference missing that it had, or that an interrupted run did not get to? */
function existing(
  { saved, references }: Draft,
  context: PlanningContext,
): Pick<PlannedRestoration, 'action' | 'because' | 'liveUid' | 'volume'> {
  const found = context.live.at(saved);
  if (found.found !== 'object') return { action: 'exists', because: 'it already exists' };
  const claimed = volumeOfExisting(saved, found.manifest, context);
  if (claimed && 'wrong' in claimed) return { action: 'cannot', because: claimed.wrong };
  return { ...missingReferences(saved, found, references, context.isOfFix), ...claimed };
}

function finalizerNotes(saved: SavedObject, { deleted }: PlanningContext): string[] {
  const names = ownFinalizers(saved.finalizers);
  if (!deleted || names.length === 0) return [];
  return [
    `when it was deleted, ${names.join(', ')} ran: what was cleaned up outside the cluster does not come back`,
  ];
}

function compare(a: PlannedRestoration, b: PlannedRestoration): number {
  const ranks = Number(kindRank(a.saved.type) > 0) - Number(kindRank(b.saved.type) > 0);
  if (ranks !== 0) return ranks;
  const [left, right] = [a, b].map(({ saved }) => locationKey(saved));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** Everything that a restoration depends on: the objects, their owners, namespaces, definitions and volumes. */
export function placesToLook(
  saved: readonly SavedObject[],
  lookup: OwnerLookup,
): readonly ObjectLocation[] {
  const places = new Map<string, ObjectLocation>();
  const add = (place: ObjectLocation | undefined): void => {
    if (place) places.set(locationKey(place), place);
  };
  for (const object of saved) {
    add({ type: object.type, namespace: object.namespace, name: object.name });
    add(namespaceOf(object, lookup));
    if (!lookup.isServed(object.type)) add(definitionOf(object, lookup));
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place) add(place.at);
    }
    add(volumeOf(object, lookup));
    add(claimOf(object, lookup));
  }
  return [...places.values()];
}

function namespaceOf(
  { namespace }: ObjectLocation,
  lookup: OwnerLookup,
): ObjectLocation | undefined {
  const type = lookup.typeOf('v1', 'Namespace');
  return namespace === '' || !type ? undefined : { type, namespace: '', name: namespace };
}

/** The CustomResourceDefinition that serves the object's kind, whether there is one or not. */
function definitionOf(
  { type: { resource, group } }: ObjectLocation,
  lookup: OwnerLookup,
): ObjectLocation | undefined {
  const type = lookup.typeOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return type && { type, namespace: '', name: `${resource}.${group}` };
}

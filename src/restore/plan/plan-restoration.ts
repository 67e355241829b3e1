import { compareText } from '../../kube/names.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isOfBuiltInKind, ownFinalizers } from '../kinds/clean-object.ts';
import { type Need, needsOfPods } from '../kinds/manifest-needs.ts';
import { ranks } from '../kinds/restored-kind.ts';
import { rankOf, restoredKind } from '../kinds/restored-kinds.ts';
import { missingReferences } from '../relink/missing-references.ts';
import { OwnerLookup } from '../relink/relink.ts';
import { leaveOutHopeless } from './hopeless.ts';
import { type LiveObjects, uidOf } from './live-objects.ts';
import { boundClaim, needsOf, volumeOf } from './needs.ts';
import { firstDecision, hasClaim } from './not-restored.ts';
import type { Draft, PlanningContext, PlanRestorationOptions } from './planning-context.ts';
import {
  bringBackVolume,
  forClaim,
  prepareManifest,
  volumeOfExisting,
} from './prepare-manifest.ts';
import type { PlannedRestoration } from './restoration.ts';
import { orderRestoration } from './restore-order.ts';

/** Decides about every saved object, and in which order they come: what others need first. */
export function planRestoration(
  saved: readonly SavedObject[],
  live: LiveObjects,
  types: ResourceTypes,
  options: PlanRestorationOptions,
): PlannedRestoration[] {
  const lookup = new OwnerLookup(types, saved);
  const toCome = new Map<string, SavedObject>();
  const inBackup = new Set((options.all ?? saved).map(locationKey));
  const context: PlanningContext = {
    ...options,
    ...{ lookup, live, toCome, inBackup, drafts: new Map() },
  };
  const drafts = saved.map((object): Draft => {
    const key = locationKey(object);
    const decision = firstDecision(object, context);
    if (decision.action === 'create') toCome.set(key, object);
    const draft = { saved: object, needs: needsOf(object, lookup), decision, references: [] };
    context.drafts.set(key, draft);
    return draft;
  });
  leaveOutHopeless(drafts, context);
  return draftsInOrder(drafts, context);
}

function draftsInOrder(all: readonly Draft[], context: PlanningContext): PlannedRestoration[] {
  // Where workloads are restored, the program behind a Service may be one of them.
  const restarting = new Set(
    [...context.toCome.values()].flatMap(({ namespace, manifest }) =>
      manifest && needsOfPods(manifest).length > 0 ? namespace : [],
    ),
  );
  const isThere = ({ at }: Need) =>
    context.live.at(at).found === 'object' && !restarting.has(at.namespace);
  const drafts = all.map((draft) => ({
    ...draft,
    rank: rankOf(draft.saved, { needsThere: draft.needs.every(isThere) }),
  }));
  const { waves, later, end } = orderRestoration(
    drafts
      .filter(({ decision }) => decision.action === 'create' || decision.action === 'patch')
      .map(({ saved, rank, needs, references }) => ({
        key: locationKey(saved),
        rank,
        hard: needs.map(({ at }) => locationKey(at)),
        soft: references.flatMap(({ owner }) => owner ?? []),
      })),
  );
  const hasMore = context.toCome.size > 1;
  const planned = drafts.map((draft) => {
    const key = locationKey(draft.saved);
    const placed = { wave: waves.get(key) ?? end, later: later.get(key) ?? new Set<string>() };
    const one = planOf(draft, placed, context);
    const notes = hasMore ? [...one.notes, ...admissionNotes(draft, one)] : one.notes;
    return { rank: draft.rank, key, ...one, notes };
  });
  return planned
    .toSorted((a, b) => a.wave - b.wave || a.rank - b.rank || compareText(a.key, b.key))
    .map(({ rank: _, key: __, ...one }) => one);
}

/** What is to be done about an object whose place in the order is known. */
function planOf(
  draft: Draft,
  placed: Pick<PlannedRestoration, 'wave' | 'later'>,
  context: PlanningContext,
): PlannedRestoration {
  const { saved, needs, decision, references } = draft;
  const { action } = decision;
  const toCome = needs.filter(({ at }) => context.toCome.has(locationKey(at)));
  const base = { saved, ...decision, references, needs: toCome, notes: [], ...placed };
  if (action === 'exists') return { ...base, ...existing(draft, context) };
  if (!saved.manifest || (action !== 'create' && action !== 'patch')) return base;
  const prepared = prepareManifest(saved.type, saved.manifest);
  if (action === 'patch') {
    const found = context.live.at(saved);
    const liveUid = found.found === 'object' ? uidOf(found.manifest) : '';
    return { ...base, manifest: prepared.manifest, liveUid };
  }
  const { notes, ...volume } = bringBackVolume(saved, prepared.manifest, context);
  const { status, notes: statusNotes = [] } = restoredStatus(saved, context);
  const all = [...prepared.notes, ...notes, ...finalizerNotes(saved, context), ...statusNotes];
  const manifest = hasClaim(saved, context) ? forClaim(saved, volume.manifest) : volume.manifest;
  const last = missingNotes(draft, context);
  return { ...base, ...volume, manifest, status, notes: [...all, ...last] };
}

/** It is there: is a reference missing that it had, or that an interrupted run did not get to? */
function existing(
  { saved, references }: Draft,
  context: PlanningContext,
): Pick<PlannedRestoration, 'action' | 'because'> & Partial<PlannedRestoration> {
  const found = context.live.at(saved);
  if (found.found !== 'object') return { action: 'exists', because: 'it already exists' };
  const claimed = volumeOfExisting(saved, found.manifest, context);
  if (claimed && 'wrong' in claimed) return { action: 'cannot', because: claimed.wrong };
  const { status } = restoredStatus(saved, context);
  return { ...missingReferences(saved, found, references, context.isOfFix), ...claimed, status };
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
    for (const { at, role } of needsOf(object, lookup)) if (role !== 'use') add(at);
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place) add(place.at);
    }
    add(volumeOf(object, lookup));
    add(boundClaim(object, lookup));
  }
  return [...places.values()];
}

/** Whether admission configuration decides about what is restored with it. */
function admissionNotes(
  { saved, rank }: Pick<Draft, 'saved'> & { readonly rank: number },
  { action }: PlannedRestoration,
): string[] {
  if (action !== 'create' || !restoredKind(saved.type).isAdmission) return [];
  return rank === ranks.dependent
    ? ['it is restored last, as what it needs to decide is restored as well']
    : ['it may refuse what is restored after it'];
}

/** What it needs, and will not find. */
function missingNotes({ saved, needs }: Draft, { live, drafts }: PlanningContext): string[] {
  return needs.flatMap(({ at, role }) => {
    const decision = drafts.get(locationKey(at))?.decision;
    const isMissing = live.at(at).found === 'nothing' && decision?.action !== 'create';
    if (!isMissing || (role !== 'data' && role !== 'start')) return [];
    const why = decision
      ? `which is not restored: ${decision.because}`
      : 'which neither the backup nor the cluster has';
    const isMade = groupResourceOf(saved.type) === 'statefulsets.apps' && role === 'data';
    return `it needs ${inWords(at)}, ${why}${isMade ? '; an empty one is created' : ''}`;
  });
}

/** The status of a custom resource, unless it reports what its finalizers have cleaned up. */
function restoredStatus(
  { manifest, finalizers }: SavedObject,
  { deleted }: PlanningContext,
): { readonly status?: unknown; readonly notes?: readonly string[] } {
  if (!deleted || !manifest || manifest.status === undefined || isOfBuiltInKind(manifest))
    return {};
  if (ownFinalizers(finalizers).length === 0) return { status: manifest.status };
  return {
    notes: ['where its kind has a status subresource, its controller reports its status again'],
  };
}

function finalizerNotes(saved: SavedObject, { deleted }: PlanningContext): string[] {
  const names = ownFinalizers(saved.finalizers);
  if (!deleted || names.length === 0) return [];
  return [
    `when it was deleted, ${names.join(', ')} ran: resources that they cleaned up outside the cluster are not restored`,
  ];
}

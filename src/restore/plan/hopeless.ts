import { isInEveryNamespace } from '../../controllers/bookkeeping.ts';
import { fieldAt, numberOf } from '../../kube/json-value.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { cannot } from '../kinds/restored-kind.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { relinkReference } from '../relink/relink.ts';
import { isTerminating } from './live-objects.ts';
import { definitionOf, namespaceLocation, volumeOf } from './needs.ts';
import { type Decision, terminatingWith } from './not-restored.ts';
import { type Draft, type PlanningContext, wasTerminating } from './planning-context.ts';
import { volumeOfExisting } from './prepare-manifest.ts';
import type { RelinkedReference } from './restoration.ts';

/** Leaves out what cannot be created and what needs it, until nothing changes any more. */
export function leaveOutHopeless(drafts: readonly Draft[], context: PlanningContext): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const draft of drafts) {
      draft.references = draft.saved.ownerReferences.map((reference) =>
        relinkReference(draft.saved, reference, context),
      );
      const { action } = draft.decision;
      if (action === 'skip' || action === 'cannot') continue;
      const left = hopeless(draft, context);
      if (left === undefined) continue;
      draft.decision = left;
      context.toCome.delete(locationKey(draft.saved));
      changed = true;
    }
  }
}

/** Why an object is not created, or not left to what becomes of its namespace. */
function hopeless(draft: Draft, context: PlanningContext): Decision | undefined {
  const { saved, needs, decision } = draft;
  const { lookup, live, toCome } = context;
  const namespace = namespaceLocation(saved, lookup);
  if (namespace && !toCome.has(locationKey(namespace))) {
    const found = live.at(namespace);
    if (found.found === 'object' && isTerminating(found.manifest)) {
      const isNew = decision.action === 'create';
      const end = isNew ? ': nothing can be created in it' : ', and this with it';
      return cannot(`the namespace ${namespace.name} is being deleted${end}`);
    }
    if (found.found === 'nothing' && decision.action === 'create') {
      if (wasTerminating(namespace, context)) return terminatingWith(namespace);
      return cannot(`there is no namespace ${namespace.name}: create it, then run this again`);
    }
  }
  if (decision.action !== 'create') return undefined;
  const definition = lookup.isServed(saved.type) ? undefined : definitionOf(saved, lookup);
  if (
    definition &&
    !toCome.has(locationKey(definition)) &&
    live.at(definition).found !== 'object'
  ) {
    return wasTerminating(definition, context)
      ? terminatingWith(definition)
      : cannot(`its kind is not served, and ${inWords(definition)} is not restored`);
  }
  for (const { at, role } of needs) {
    if (role === 'account' && isNowhere(at, context)) {
      const decided = context.drafts.get(locationKey(at))?.decision.because;
      const where = decided ? `is not restored: ${decided}` : 'is neither in the backup nor there';
      return cannot(`${inWords(at)} ${where}, and the token controller would delete this again`);
    }
    const why = role === 'data' ? withoutData(at, context) : undefined;
    if (why !== undefined) return cannot(`${inWords(at)}, which it needs, is not restored: ${why}`);
    if (role === 'data' && isLost(saved, at, context)) {
      return cannot(
        `${inWords(at)}, which it needs, is neither in the backup nor in the cluster, and it would start on an empty volume; --empty-volumes creates it`,
      );
    }
  }
  return withoutVolume(saved, context) ?? withoutOwner(draft, context);
}

/** A claim would get an empty volume, though the one with its data is in the backup and could be restored. */
function withoutVolume(saved: SavedObject, context: PlanningContext): Decision | undefined {
  const at = volumeOf(saved, context.lookup);
  if (!at || context.emptyVolumes || context.live.at(at).found !== 'nothing') return undefined;
  const volume = context.drafts.get(locationKey(at));
  if (!volume) return undefined;
  const { action, because } = volume.decision;
  const isLost = restoredKind(at.type).never?.(volume.saved, context) !== undefined;
  if (isLost || (action !== 'cannot' && !wasTerminating(at, context))) return undefined;
  return cannot(
    `${inWords(at)}, which has its data, is not restored: ${because}; --empty-volumes creates it on a new volume`,
  );
}

/** Is it not there, and neither restored nor made for every namespace? */
function isNowhere(at: ObjectLocation, { toCome, live }: PlanningContext): boolean {
  const isMade = toCome.has(locationKey(at)) || isInEveryNamespace(at);
  return !isMade && live.at(at).found === 'nothing';
}

/**
 * Is a claim missing that the StatefulSet had? It had none for pods that it had not made yet, nor where a backup of the whole
 * namespace has none.
 */
function isLost(saved: SavedObject, claim: ObjectLocation, context: PlanningContext): boolean {
  const { drafts, live, lookup, emptyVolumes } = context;
  if (emptyVolumes || groupResourceOf(saved.type) !== 'statefulsets.apps') return false;
  const namespace = namespaceLocation(saved, lookup);
  const isWhole = namespace !== undefined && context.inBackup.has(locationKey(namespace));
  if (isWhole || drafts.has(locationKey(claim)) || live.at(claim).found !== 'nothing') return false;
  const made = numberOf(fieldAt(saved.manifest, 'status.replicas'));
  const first = numberOf(fieldAt(saved.manifest, 'spec.ordinals.start')) ?? 0;
  const ordinal = Number(/(?<!\d)\d+$/.exec(claim.name)?.[0]);
  return made === undefined || ordinal < first + made;
}

/** Why a claim of the backup will not be there with its volume. */
function withoutData(claim: ObjectLocation, context: PlanningContext): string | undefined {
  const draft = context.drafts.get(locationKey(claim));
  if (draft?.decision.action === 'cannot') return draft.decision.because;
  const found = context.live.at(claim);
  if (!draft || found.found !== 'object') return undefined;
  const volume = volumeOfExisting(draft.saved, found.manifest, context);
  return volume && 'wrong' in volume ? volume.wrong : undefined;
}

/** What the garbage collector would delete again, as its owners do not exist. */
function withoutOwner(
  { saved, references }: Draft,
  context: PlanningContext,
): Decision | undefined {
  if (references.length === 0 || context.withoutOwners) return undefined;
  const isLeft = ({ end, told }: RelinkedReference) => end === 'frozen' && told.change === 'kept';
  if (references.some((one) => one.end === 'solid' || isLeft(one))) return undefined;
  const because = references.map(({ told }) => told.because).join('; ');
  if (references.some(({ end }) => end === 'unknown')) {
    return cannot(`it is unknown whether it would stay: ${because}`);
  }
  for (const reference of saved.ownerReferences) {
    const place = context.lookup.placeOf(saved, reference);
    if ('at' in place && wasTerminating(place.at, context)) return terminatingWith(place.at);
  }
  const isLater = references.some(({ end }) => end === 'frozen');
  const when = isLater ? 'once the kind of its owner is served' : 'immediately (GC-22.13)';
  return cannot(
    `the garbage collector would delete it ${when}: ${because}; --without-owners creates it without an owner`,
  );
}

import { inWords, locationKey } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isOfBuiltInKind, ownFinalizers } from '../kinds/clean-object.ts';
import { ranks } from '../kinds/restored-kind.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import type { Draft, PlanningContext } from './planning-context.ts';
import type { PlannedRestoration } from './restoration.ts';

/** Whether admission configuration decides about what is restored with it. */
export function admissionNotes(
  { saved, rank }: Pick<Draft, 'saved'> & { readonly rank: number },
  { action }: PlannedRestoration,
): string[] {
  if (action !== 'create' || !restoredKind(saved.type).isAdmission) return [];
  return rank === ranks.dependent
    ? ['it is restored last, as what it needs to decide is restored as well']
    : ['it may refuse what is restored after it'];
}

/** What it needs, and will not find. */
export function missingNotes({ saved, needs }: Draft, { live, drafts }: PlanningContext): string[] {
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
export function restoredStatus(
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

export function finalizerNotes(saved: SavedObject, { deleted }: PlanningContext): string[] {
  const names = ownFinalizers(saved.finalizers);
  if (!deleted || names.length === 0) return [];
  return [
    `when it was deleted, ${names.join(', ')} ran: resources that they cleaned up outside the cluster are not restored`,
  ];
}

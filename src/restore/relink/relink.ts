import type { OwnerReference } from '../../kube/object-record.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isTerminating, type LiveObjects, uidOf } from '../plan/live-objects.ts';
import type { RelinkedReference, RestoredReference } from '../plan/restoration.ts';
import type { OwnerLookup } from './owner-lookup.ts';

export interface RelinkContext {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
  /** The objects that are or will be created, by key. */
  readonly toCome: ReadonlyMap<string, SavedObject>;
  /** uids are those of this cluster: a reference to another uid was broken before. */
  readonly sameCluster: boolean;
}

/**
 * Where a saved reference leads when its object is there again: to the owner that has the
 * reference's kind, namespace and name now, or will have when it is restored too.
 */
export function relinkReference(
  dependent: ObjectLocation,
  reference: OwnerReference,
  { lookup, live, toCome, sameCluster }: RelinkContext,
): RelinkedReference {
  const { kind, name, uid } = reference;
  const place = lookup.placeOf(dependent, reference);
  const tell = (
    change: RestoredReference['change'],
    end: RelinkedReference['end'],
    because: string,
    to = '',
    owner?: string,
    apiVersion = reference.apiVersion,
  ): RelinkedReference => ({
    reference: { ...reference, apiVersion, ...(to !== '' && { uid: to }) },
    told: { apiVersion, kind, name, from: uid, to, change, because },
    owner,
    end,
  });
  if ('nowhere' in place) {
    const isGone = place.end === 'gone';
    return tell(isGone ? 'dropped' : 'kept', place.end, place.nowhere, isGone ? '' : uid);
  }

  const { at, apiVersion } = place;
  const owner = locationKey(at);
  const words = inWords(at);
  const coming = toCome.get(owner);
  if (coming) {
    // In a backup of this cluster both uids are known: a broken reference is not to be fixed by chance.
    if (sameCluster && coming.uid !== '' && uid !== coming.uid) {
      return tell('dropped', 'gone', `it named another ${words}, which was already gone`);
    }
    return tell('to-come', 'solid', `${words} is restored first`, '', owner, apiVersion);
  }
  const found = live.at(at);
  if (found.found === 'unknown') {
    return tell('kept', 'unknown', `${words} could not be looked up: ${found.message}`, uid);
  }
  if (found.found === 'nothing') return tell('dropped', 'gone', `there is no ${words}`);
  if (isTerminating(found.manifest)) return tell('dropped', 'gone', `${words} is being deleted`);
  const to = uidOf(found.manifest);
  if (to === uid) return tell('kept', 'solid', `${words} is still there`, uid, owner, apiVersion);
  return tell('relinked', 'solid', `${words} has another uid now`, to, owner, apiVersion);
}

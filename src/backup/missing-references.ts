import type { OwnerReference } from '../kube/object-record.ts';
import { type KubeObject, recordOf } from '../kube/record-codec.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import { jsonOf } from '../snapshot/json-value.ts';
import { uidOf } from './live-objects.ts';
import { type PlannedRestoration, pendingOwners } from './planned-restoration.ts';
import type { RelinkedReference } from './relink.ts';
import { hasSameContent } from './same-content.ts';
import type { SavedObject } from './saved-object.ts';

/**
 * What to do about an object that is there: give it the references back that it lost, if it is the
 * saved object itself or what an earlier restoration has made of it; else leave it alone.
 */
export function missingReferences(
  saved: SavedObject,
  live: KubeObject,
  references: readonly RelinkedReference[],
): Pick<PlannedRestoration, 'action' | 'because' | 'liveUid'> {
  const { ownerReferences } = recordOf(live, saved.type);
  const isItself = saved.uid !== '' && saved.uid === uidOf(live);
  const lost = references.filter(
    (relinked) =>
      relinked.end === 'solid' &&
      // A reference that led to a living owner and is not there any more was taken off on purpose.
      !(isItself && relinked.told.change === 'kept') &&
      !ownerReferences.some((reference) => leadsTo(reference, relinked)),
  );
  const names = lost.map(({ told }) => `${told.kind} ${told.name}`).join(', ');
  if (isItself) {
    return lost.length === 0
      ? { action: 'exists', because: 'it is still there' }
      : {
          action: 'relink',
          because: `it is still there, but not owned by ${names} any more`,
          liveUid: uidOf(live),
        };
  }
  const isSame = saved.manifest !== undefined && hasSameContent(saved.type, saved.manifest, live);
  if (lost.length > 0 && (isSame || isPending(live))) {
    const because = `it is there, but not owned by ${names} yet`;
    return { action: 'relink', because, liveUid: uidOf(live) };
  }
  const because = isSame
    ? 'it is there already, with the same content'
    : 'it is there already, with other content, and is left as it is';
  return { action: 'exists', because };
}

function leadsTo(
  reference: OwnerReference,
  { told, reference: wanted }: RelinkedReference,
): boolean {
  return told.to !== '' && reference.uid === wanted.uid && isSameOwner(reference, wanted);
}

/** Do two references of one object name the same owner, whatever its uid? */
export function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a) === groupOf(b);
}

function groupOf({ apiVersion }: OwnerReference): string | undefined {
  return parseApiVersion(apiVersion)?.group;
}

/** Was it created by a restoration that has not added all references yet? */
export function isPending(live: KubeObject): boolean {
  return jsonOf(live.metadata.annotations)?.[pendingOwners] !== undefined;
}

import type { ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { isTerminating } from '../plan/live-objects.ts';
import { pendingOwners } from '../plan/planned-restoration.ts';
import type { FixedReference } from '../relink/judge-restored.ts';
import { isPending, isSameOwner } from '../relink/missing-references.ts';
import type { PatchedObject, RestoreTarget } from './restore-target.ts';

/** Gives an object its references. `isIncomplete`: some of its owners are not there, and it is still to get references to them. */
export function relinkObject(
  target: RestoreTarget,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  expectedUid: string | undefined,
  isIncomplete: boolean,
): Promise<PatchedObject> {
  return target.patch(at, expectedUid, (live) =>
    isTerminating(live) ? 'it is being deleted' : patchOf(live, at, wanted, isIncomplete),
  );
}

function patchOf(
  live: KubeObject,
  at: ObjectLocation,
  wanted: readonly FixedReference[],
  isIncomplete: boolean,
): readonly object[] {
  const { ownerReferences } = recordOf(live, at.type);
  const kept = ownerReferences.filter(
    (reference) =>
      !wanted.some(
        (want) =>
          isSameOwner(reference, want.reference) &&
          reference.uid === want.staleUid &&
          reference.uid !== want.reference.uid,
      ),
  );
  const missing = wanted
    .map(({ reference }) => reference)
    .filter((reference) => !kept.some(({ uid }) => uid === reference.uid));
  const references = [...kept, ...missing];
  const path = '/metadata/ownerReferences';
  return [
    ...(missing.length > 0 || kept.length < ownerReferences.length
      ? [{ op: 'add', path, value: references }]
      : []),
    ...(!isIncomplete && isPending(live)
      ? [{ op: 'remove', path: `/metadata/annotations/${pendingOwners.replace('/', '~1')}` }]
      : []),
  ];
}

import type { EndReason } from '../../controllers/explain-ends.ts';
import type { AddedOwner, ObjectChange } from '../documents/object-change.ts';
import { nameOf } from './words.ts';

/** What changed on an object, a few words for each. */
export function changeWords({
  owners,
  finalizers,
  deletionTimestamp,
  status,
  ready,
}: ObjectChange): string[] {
  return [
    ...(deletionTimestamp ? [deletionWords(deletionTimestamp)] : []),
    ...(owners ? ownerWords(owners) : []),
    ...(finalizers?.added.map((name) => `finalizer ${name} added`) ?? []),
    ...(finalizers?.removed.map((name) => `finalizer ${name} removed`) ?? []),
    ...(status ? [`STATUS ${shown(status.before)} → ${shown(status.after)}`] : []),
    ...(ready ? [`READY ${shown(ready.before)} → ${shown(ready.after)}`] : []),
  ];
}

function shown(value: string): string {
  return value === '' ? '<none>' : value;
}

function deletionWords({ before, after }: NonNullable<ObjectChange['deletionTimestamp']>): string {
  if (before === '') return 'being deleted';
  return after === '' ? 'no longer being deleted' : `to be deleted at ${after}`;
}

function ownerWords({ added, removed }: NonNullable<ObjectChange['owners']>): string[] {
  const had = new Set(removed.map(({ uid }) => uid));
  const has = new Set(added.map(({ uid }) => uid));
  return [
    ...added.map((owner) => {
      const isKnown = had.has(owner.uid);
      const what = isKnown ? 'reference to' : 'owner';
      return `${what} ${nameOf(owner)} ${isKnown ? 'changed' : 'added'}${managedBy(owner)}`;
    }),
    ...removed
      .filter(({ uid }) => !has.has(uid))
      .map(({ reason, ...owner }) => {
        return `owner ${nameOf(owner)} removed${reason ? ` (${reasonWords(reason)})` : ''}`;
      }),
  ];
}

/** Who set a reference, where it was read. */
function managedBy({ manager }: AddedOwner): string {
  return manager === undefined ? '' : ` (set by ${manager})`;
}

/** By which rule a controller did it. */
export function reasonWords({ collector, confidence, because }: EndReason): string {
  switch (confidence) {
    case 'certain':
      return `${collector}: ${because}`;
    case 'likely':
      return `probably ${collector}: ${because}`;
    case 'unknown':
      return `perhaps ${collector}: ${because}`;
  }
}

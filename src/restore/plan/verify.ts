import { isInEveryNamespace } from '../../controllers/bookkeeping.ts';
import { fieldsOf, jsonOf } from '../../kube/json-value.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { isSameOwner } from '../relink/missing-references.ts';
import { isTerminating, type LiveObjects, uidOf } from './live-objects.ts';
import { givenContent, prepareManifest } from './prepare-manifest.ts';
import type { PlannedRestoration, RestoredObject } from './restoration.ts';

type Verified = Pick<RestoredObject, 'outcome' | 'message' | 'differs' | 'newUid'>;

/** Compares what was saved with what is there, by key; what a restoration leaves out on purpose is not compared. */
export function verifyBackup(
  planned: readonly PlannedRestoration[],
  live: LiveObjects,
): ReadonlyMap<string, Verified> {
  return new Map(
    planned.flatMap((one): [string, Verified][] => {
      const verified = verify(one, live);
      return verified ? [[locationKey(one.saved), verified]] : [];
    }),
  );
}

function verify(planned: PlannedRestoration, live: LiveObjects): Verified | undefined {
  const { saved, action, because } = planned;
  const found = live.at(saved);
  const isOfOthers = restoredKind(saved.type).never?.(saved, { finished: true })?.action === 'skip';
  if (action === 'skip' || isOfOthers) return undefined;
  if (found.found === 'unknown') return { outcome: 'unknown', message: found.message };
  if (found.found === 'nothing') {
    return { outcome: 'missing', message: action === 'cannot' ? because : 'it is not there' };
  }
  if (!saved.manifest) return { outcome: 'unknown', message: saved.fault ?? because };
  if (found.partly) {
    return { outcome: 'unknown', message: 'the snapshot does not hold all of its content' };
  }
  const differs = differencesOf(planned, saved.manifest, found.manifest);
  const newUid = uidOf(found.manifest);
  if (differs.length === 0) return { outcome: 'same', message: '', newUid };
  return { outcome: 'differs', message: `differs in ${differs.join(', ')}`, differs, newUid };
}

/** The fields that differ, without what is new by design; of none a value. */
function differencesOf(
  { saved, references }: PlannedRestoration,
  before: KubeObject,
  now: KubeObject,
): string[] {
  const [first, second] = [before, now].map((one) => {
    const { manifest } = prepareManifest(saved.type, one);
    return isInEveryNamespace(saved) ? givenContent(manifest) : manifest;
  });
  const owned = recordOf(now, saved.type).ownerReferences;
  const wanted = references.map(({ told, reference }) => ({ ...reference, uid: told.to }));
  const hasOwners =
    owned.length === wanted.length &&
    wanted.every((one) => owned.some((other) => isSameReference(one, other)));
  return [
    ...differentFields(first, second, ''),
    ...(hasOwners ? [] : ['metadata.ownerReferences']),
    ...(isTerminating(now) ? ['metadata.deletionTimestamp'] : []),
  ];
}

function isSameReference(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    isSameOwner(a, b) &&
    (a.controller ?? false) === (b.controller ?? false) &&
    (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false)
  );
}

/** Paths as kubectl's JSONPath has them. */
function differentFields(before: unknown, now: unknown, path: string): string[] {
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    return before.flatMap((entry, index) =>
      differentFields(entry, now[index], `${path}[${index}]`),
    );
  }
  const [fields, others] = [jsonOf(before), jsonOf(now)];
  if (fields && others) {
    const names = [...new Set([...Object.keys(fields), ...Object.keys(others)])];
    return names.flatMap((name) =>
      differentFields(fields[name], others[name], pathBelow(path, name)),
    );
  }
  return isSameField(before, now, path) ? [] : [path];
}

function pathBelow(path: string, name: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(name);
  if (!isPlain) return `${path}['${name}']`;
  return path === '' ? name : `${path}.${name}`;
}

/** Go leaves these out where they are empty; of all other fields, such as emptyDir and podSelector, an empty value says something. */
const leftOutEmpty: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels']);

function isSameField(before: unknown, now: unknown, path: string): boolean {
  if (before === now) return true;
  const [first, second] = [before, now].map((value) =>
    leftOutEmpty.has(path) && Object.keys(fieldsOf(value)).length === 0 ? undefined : value,
  );
  return (first ?? undefined) === (second ?? undefined);
}

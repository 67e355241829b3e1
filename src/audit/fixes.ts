import { withoutUnset } from '../kube/json-value.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import type { ObjectReference } from '../kube/object-reference.ts';
import type { ReferenceEdit, ReferenceViolation } from './rules/reference-findings.ts';

/** RFC 6902. */
export type JsonPatch = readonly {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}[];

/** The patch of one object, as documents name it. */
export interface ObjectPatch {
  readonly object: ObjectReference;
  readonly patch: JsonPatch;
}

/**
 * One patch for each object, with all edits of its findings. It tests uid and the whole list of
 * references first, so that nothing happens to an object that changed in between. An object that is let
 * go is changed only where an edit gives it an owner that lives: another could make it stay, or go.
 */
export function fixPatches(findings: readonly Pick<ReferenceViolation, 'object' | 'fix'>[]): {
  readonly record: ObjectRecord;
  readonly kept: readonly OwnerReference[];
  readonly patch: JsonPatch;
}[] {
  const edits = new Map<ObjectRecord, ReferenceEdit[]>();
  const leaving = new Set(
    findings.flatMap(({ object, fix }) => (fix.choice === 'let-go' ? [object] : [])),
  );
  for (const { object, fix } of findings) {
    if (fix.edits.length === 0 || object.uid === '') continue;
    edits.set(object, [...(edits.get(object) ?? []), ...fix.edits]);
  }
  return [...edits].flatMap(([record, list]) => {
    const kept = editedReferences(record, list);
    if (leaving.has(record) && !kept.some((reference) => isNewIn(record, reference))) return [];
    return [{ record, kept, patch: patchTo(record, kept) }];
  });
}

/** Does it lead to an owner that no reference named? A corrected version alone may lead to an owner that does not exist. */
function isNewIn({ ownerReferences }: ObjectRecord, { kind, name, uid }: OwnerReference): boolean {
  return !ownerReferences.some(
    (before) => before.kind === kind && before.name === name && before.uid === uid,
  );
}

function editedReferences(record: ObjectRecord, edits: readonly ReferenceEdit[]): OwnerReference[] {
  const edited = record.ownerReferences.map((reference, index) => {
    const own = edits.filter((edit) => edit.index === index);
    // Removal wins: an entry that one rule drops needs no correction by another.
    if (own.some((edit) => edit.to === undefined)) return undefined;
    return own.reduce((merged, edit) => mergedReference(reference, merged, edit.to), reference);
  });
  const isRedirected = (index: number) => edited[index]?.uid !== record.ownerReferences[index]?.uid;
  // Drops an entry whose new owner another entry already names.
  return edited.filter(
    (reference, index): reference is OwnerReference =>
      reference !== undefined &&
      !(
        isRedirected(index) &&
        edited.some(
          (other, at) => other?.uid === reference.uid && (at < index || !isRedirected(at)),
        )
      ),
  );
}

function patchTo(record: ObjectRecord, kept: readonly OwnerReference[]): JsonPatch {
  const path = '/metadata/ownerReferences';
  return [
    { op: 'test', path: '/metadata/uid', value: record.uid },
    { op: 'test', path, value: record.ownerReferences.map(asApiSpells) },
    kept.length === 0
      ? { op: 'remove', path }
      : { op: 'replace', path, value: kept.map(asApiSpells) },
  ];
}

/** Carries over only the fields that this edit changes. */
function mergedReference(
  before: OwnerReference,
  merged: OwnerReference,
  to: OwnerReference | undefined,
): OwnerReference {
  if (!to) return merged;
  const changed = Object.entries(to).filter(
    ([field, value]) => before[field as keyof OwnerReference] !== value,
  );
  return { ...merged, ...Object.fromEntries(changed) };
}

/** The reference as the API spells it: unset booleans are absent. */
const asApiSpells = (reference: OwnerReference) => withoutUnset({ ...reference });

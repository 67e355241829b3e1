import type { ObjectRecord } from '../kube/object-record.ts';

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/**
 * Gives a record that was just made the parts of the record before it that are equal: labels, references, texts.
 * Objects that lie side by side are often alike, so that a list takes half the memory, and no table has to be kept.
 */
export function shareEqualParts(record: ObjectRecord, before: ObjectRecord | undefined): void {
  if (before === undefined) return;
  const own: Mutable<ObjectRecord> = record;
  own.namespace = shared(record.namespace, before.namespace);
  own.creationTimestamp = shared(record.creationTimestamp, before.creationTimestamp);
  own.labels = shared(record.labels, before.labels);
  own.annotations = shared(record.annotations, before.annotations);
  own.ownerReferences = shared(record.ownerReferences, before.ownerReferences);
  own.finalizers = shared(record.finalizers, before.finalizers);
  own.facts = shared(record.facts, before.facts);
}

/** The part before it where both are equal, in the order of their fields too; else the part, sharing what is in it. */
function shared<T>(part: T, before: T): T {
  if (part === before) return before;
  if (typeof part !== 'object' || part === null) return part;
  if (typeof before !== 'object' || before === null) return part;
  if (Array.isArray(part)) {
    return Array.isArray(before) && shareEntries(part, before) ? before : part;
  }
  if (Array.isArray(before)) return part;
  return shareFields(part as MutableFields, before as MutableFields) ? before : part;
}

type MutableFields = Record<string, unknown>;

/** Are all entries equal? */
function shareEntries(list: unknown[], before: readonly unknown[]): boolean {
  let isEqual = list.length === before.length;
  for (let at = 0; at < list.length && at < before.length; at++) {
    const entry = shared(list[at], before[at]);
    if (entry === before[at]) list[at] = entry;
    else isEqual = false;
  }
  return isEqual;
}

/** Are all fields equal? */
function shareFields(fields: MutableFields, before: MutableFields): boolean {
  const names = Object.keys(fields);
  const others = Object.keys(before);
  let isEqual = names.length === others.length;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    if (name !== others[at]) return false;
    const value = shared(fields[name], before[name]);
    if (value === before[name]) fields[name] = value;
    else isEqual = false;
  }
  return isEqual;
}

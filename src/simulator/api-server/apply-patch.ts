import { fieldsOf, type Json, jsonOf } from '../../kube/json-value.ts';
import type { PatchType } from './request.ts';

/** The patched object, or the arguments of a refusal: code, reason, message. */
export type Patched =
  | { readonly object: Json }
  | { readonly refused: readonly [code: number, reason: string, message: string] };

/** Applies a patch to an object's JSON as the API server does, on the fields a record keeps. */
export function applyPatch(object: Json, type: PatchType, patch: unknown): Patched {
  if (type === 'json') return applyJsonPatch(object, patch);
  if (type === 'remove-finalizers') return withoutFinalizers(object, new Set(listOf(patch)));
  const fields = jsonOf(patch);
  if (!fields) return refused('the patch is not an object');
  return { object: type === 'merge' ? merge(object, fields) : strategicMerge(object, fields) };
}

/** Also from the spec of a Namespace, as a PUT to its subresource finalize does. */
function withoutFinalizers(object: Json, gone: ReadonlySet<unknown>): Patched {
  const without = (fields: Json): Json => ({
    ...fields,
    finalizers: listOf(fields.finalizers).filter((name) => !gone.has(name)),
  });
  const { metadata, spec } = object;
  const isInSpec = fieldsOf(spec).finalizers !== undefined;
  return {
    object: {
      ...object,
      metadata: without(fieldsOf(metadata)),
      ...(isInSpec && { spec: without(fieldsOf(spec)) }),
    },
  };
}

/** RFC 7386. */
function merge(target: unknown, patch: Json): Json {
  const merged: Record<string, unknown> = { ...jsonOf(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue;
    if (value === null) delete merged[key];
    else merged[key] = jsonOf(value) ? merge(merged[key], value as Json) : value;
  }
  return merged;
}

/** As a merge patch, but finalizers are a set and ownerReferences a map by uid. */
function strategicMerge(object: Json, patch: Json): Json {
  const { finalizers, ownerReferences, ...metadata } = fieldsOf(patch.metadata);
  const removed = fieldsOf(patch.metadata)['$deleteFromPrimitiveList/finalizers'];
  const plain = merge(object, { ...patch, metadata });
  const before = fieldsOf(object.metadata);
  const after: Record<string, unknown> = { ...jsonOf(plain.metadata) };
  delete after['$deleteFromPrimitiveList/finalizers'];
  if (finalizers !== undefined || Array.isArray(removed)) {
    const kept = [...new Set([...listOf(before.finalizers), ...listOf(finalizers)])];
    const gone = new Set(listOf(removed));
    after.finalizers = finalizers === null ? [] : kept.filter((name) => !gone.has(name));
  }
  if (ownerReferences !== undefined) {
    after.ownerReferences = mergeByUid(listOf(before.ownerReferences), listOf(ownerReferences));
  }
  return { ...plain, metadata: after };
}

function mergeByUid(stored: readonly unknown[], patches: readonly unknown[]): unknown[] {
  let merged = [...stored];
  for (const patch of patches.map(jsonOf)) {
    if (!patch) continue;
    if (patch.$patch === 'delete') {
      merged = merged.filter((reference) => jsonOf(reference)?.uid !== patch.uid);
      continue;
    }
    const at = merged.findIndex((reference) => jsonOf(reference)?.uid === patch.uid);
    if (at < 0) merged.push(patch);
    else merged[at] = merge(merged[at], patch);
  }
  return merged;
}

/** RFC 6902: add, remove, replace, test. */
function applyJsonPatch(object: Json, patch: unknown): Patched {
  if (!Array.isArray(patch)) return refused('the patch is not a list of operations');
  const copy = structuredClone(object);
  for (const operation of patch.map(fieldsOf)) {
    if (typeof operation.path !== 'string') return refused('no path');
    const keys = operation.path.split('/').slice(1).map(unescapeKey);
    const last = keys.pop();
    const parent = keys.reduce<unknown>((value, key) => childOf(value, key), copy);
    const failure = last === undefined ? 'no path' : change(parent, last, operation);
    if (failure !== undefined) return refused(`${operation.path}: ${failure}`);
  }
  return { object: copy };
}

function change(parent: unknown, key: string, { op, value }: Json): string | undefined {
  if (typeof parent !== 'object' || parent === null) return 'there is no such place';
  if (op === 'test') {
    const equal = JSON.stringify(childOf(parent, key)) === JSON.stringify(value);
    return equal ? undefined : 'the test failed';
  }
  if (op !== 'add' && op !== 'remove' && op !== 'replace') {
    return `unknown operation ${JSON.stringify(op)}`;
  }
  if (op !== 'add' && childOf(parent, key) === undefined) return 'there is no such place';
  if (!Array.isArray(parent)) {
    // Written by name it would be the prototype of all objects, and no API has such a field.
    if (key === '__proto__') return 'there is no such place';
    if (op === 'remove') delete (parent as Record<string, unknown>)[key];
    else (parent as Record<string, unknown>)[key] = value;
    return undefined;
  }
  const index = key === '-' ? parent.length : Number(key);
  if (!Number.isInteger(index) || index > parent.length) return 'there is no such place';
  if (op === 'replace') parent[index] = value;
  else if (op === 'remove') parent.splice(index, 1);
  else parent.splice(index, 0, value);
  return undefined;
}

function childOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  const fields = jsonOf(value);
  return fields && Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function refused(message: string): Patched {
  return { refused: [422, 'Invalid', `the patch cannot be applied: ${message}`] };
}

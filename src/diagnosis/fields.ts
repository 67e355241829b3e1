import type { ObjectRecord } from '../kube/object-record.ts';
import { type KubeObject, recordOf } from '../kube/record-codec.ts';
import type { ResourceType } from '../kube/resource-type.ts';

type Json = Readonly<Record<string, unknown>>;

/** The field at a dotted path, whatever it is; undefined where the way ends. */
export function fieldOf(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => jsonOf(value)?.[key], object);
}

export function textAt(object: unknown, path: string): string {
  const value = fieldOf(object, path);
  return typeof value === 'string' ? value : '';
}

export function numberAt(object: unknown, path: string): number | undefined {
  const value = fieldOf(object, path);
  return typeof value === 'number' ? value : undefined;
}

export function listAt(object: unknown, path: string): readonly unknown[] {
  const value = fieldOf(object, path);
  return Array.isArray(value) ? value : [];
}

/** status.conditions[type]. */
export function conditionOf(object: unknown, type: string): Json | undefined {
  return listAt(object, 'status.conditions')
    .map(jsonOf)
    .find((entry) => entry?.type === type);
}

/** The manager that set a finalizer, by managedFields: its name and when; undefined where nobody knows. */
export function finalizerWriter(
  object: unknown,
  finalizer: string,
): { readonly manager: string; readonly time: string } | undefined {
  for (const entry of listAt(object, 'metadata.managedFields')) {
    const finalizers = jsonOf(
      jsonOf(jsonOf(fieldOf(entry, 'fieldsV1'))?.['f:metadata'])?.['f:finalizers'],
    );
    if (finalizers && `v:"${finalizer}"` in finalizers) {
      return { manager: textAt(entry, 'manager'), time: textAt(entry, 'time') };
    }
  }
  return undefined;
}

export function asRecord(object: KubeObject, type: ResourceType): ObjectRecord {
  return recordOf(object, type);
}

function jsonOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

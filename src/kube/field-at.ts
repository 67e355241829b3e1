import { type Json, jsonOf } from './json-value.ts';
import type { MetadataOnly } from './record-codec.ts';

/** Anything but an object of which only metadata was read: the compiler refuses to read fields of that. */
type Readable<T> = Extract<T, MetadataOnly> extends never ? T : never;

/** The field at a dotted path, whatever it is; undefined where the way ends. */
export function fieldAt<T>(object: Readable<T>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => jsonOf(value)?.[key], object);
}

export function textAt<T>(object: Readable<T>, path: string): string {
  const value = fieldAt(object, path);
  return typeof value === 'string' ? value : '';
}

export function numberAt<T>(object: Readable<T>, path: string): number | undefined {
  const value = fieldAt(object, path);
  return typeof value === 'number' ? value : undefined;
}

export function listAt<T>(object: Readable<T>, path: string): readonly unknown[] {
  const value = fieldAt(object, path);
  return Array.isArray(value) ? value : [];
}

/** status.conditions[type]. */
export function conditionOf<T>(object: Readable<T>, type: string): Json | undefined {
  return listAt(object, 'status.conditions')
    .map(jsonOf)
    .find((entry) => entry?.type === type);
}

/**
 * The manager that set a finalizer, by managedFields: its name and when; undefined where it is not
 * recorded.
 */
export function finalizerFieldManager(
  object: unknown,
  finalizer: string,
): { readonly manager: string; readonly time: string } | undefined {
  for (const entry of listAt(object, 'metadata.managedFields')) {
    const finalizers = jsonOf(
      jsonOf(jsonOf(fieldAt(entry, 'fieldsV1'))?.['f:metadata'])?.['f:finalizers'],
    );
    if (finalizers && `v:"${finalizer}"` in finalizers) {
      return { manager: textAt(entry, 'manager'), time: textAt(entry, 'time') };
    }
  }
  return undefined;
}

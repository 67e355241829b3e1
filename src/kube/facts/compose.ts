import type { NamedField, ObjectForm } from './shape.ts';

/** The object of its fields' values, always in the same order; undefined when the shape does not keep it. */
export function compose(shape: ObjectForm, values: readonly unknown[]): unknown {
  if (shape.unwrapped) return values[0];
  const object = composeFields(shape.fields, values);
  return shape.keep && !shape.keep(object) ? undefined : object;
}

/** Unset values take their fallback where `isRead` says that what they are part of was read. */
export function composeFields(
  fields: readonly NamedField[],
  values: readonly unknown[],
  isRead?: (field: NamedField) => boolean,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  let index = 0;
  for (const field of fields) {
    const value = values[index++];
    if (value !== undefined) object[field.key] = value;
    else if (field.fallback !== undefined && (!isRead || isRead(field))) {
      object[field.key] = field.fallback;
    }
  }
  return object;
}

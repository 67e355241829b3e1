import { bytesOf, type Json, jsonOf, millisecondsIn, textsByKey } from '../json-value.ts';
import { certificateOf } from './certificate.ts';
import type { Form, NamedField, ObjectForm } from './shape.ts';

/** What a shape keeps of a JSON value; undefined when it is unset or of another type. */
function readShape(shape: Form, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  switch (shape.form) {
    case 'text':
      return typeof value === 'string' && value !== '' ? matched(value, shape.pattern) : undefined;
    // No server keeps a time that is none, so it counts as unset, as a wrong type does.
    case 'time':
    case 'micro-time':
      return millisecondsIn(value) === undefined ? undefined : value;
    case 'integer':
    case 'non-zero':
    case 'seconds':
      return typeof value === 'number' && Number.isInteger(value)
        ? numberIn(shape.form, value)
        : undefined;
    case 'string-or-empty':
      return typeof value === 'string' ? value : undefined;
    case 'optional-bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'true-only':
      return value === true ? true : undefined;
    case 'is-set':
      return jsonOf(value) ? true : undefined;
    case 'labels':
      return textsByKey(value, shape.only);
    case 'plain-selector': {
      const matchLabels = textsByKey(value);
      return matchLabels && { matchLabels };
    }
    case 'certificate':
      return typeof value === 'string' && value !== ''
        ? certificateOf(bytesOf(value) ?? '')
        : undefined;
    case 'list':
      return readElements(shape.of, value);
    case 'object': {
      const json = jsonOf(value);
      return json && compose(shape, readFields(shape.fields, json));
    }
  }
}

/** What is kept of a text. */
export function matched(value: string, pattern: RegExp | undefined): string | undefined {
  return pattern === undefined ? value : value.match(pattern)?.[0];
}

/** A math.MaxInt64 of nanoseconds. */
const longestSeconds = 9_223_372_036;

/**
 * What a shape of numbers keeps of an integer. Nothing limits many of them, and a double loses count above 2^53:
 * what is added to them must stay a number, and a time a date.
 */
export function numberIn(form: Form['form'], value: number): number | undefined {
  const most = form === 'seconds' ? longestSeconds : Number.MAX_SAFE_INTEGER;
  const kept = Math.min(Math.max(value, -most), most);
  return form === 'non-zero' && kept === 0 ? undefined : kept;
}

export function readFields(fields: readonly NamedField[], json: Json): unknown[] {
  return fields.map(({ path, shape }) => readShape(shape, valueAt(json, path)));
}

function readElements(of: Form, value: unknown): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries: unknown[] = [];
  for (const entry of value) {
    const read = readShape(of, entry);
    if (read !== undefined) entries.push(read);
  }
  return entries.length > 0 ? entries : undefined;
}

function valueAt(json: Json, path: readonly string[]): unknown {
  let value: unknown = json;
  for (const name of path) {
    const parent = jsonOf(value);
    if (!parent) return undefined;
    value = parent[name];
  }
  return value;
}

type JsonObject = Record<string, unknown>;

/** Puts kept values back where they stood in the object. */
export function printFields(
  fields: readonly NamedField[],
  values: object,
  object: JsonObject,
): void {
  for (const { key, path, shape } of fields) {
    const value = (values as JsonObject)[key];
    if (value === undefined) continue;
    const last = path.length - 1;
    let parent = object;
    for (let at = 0; at < last; at++) parent = childOf(parent, path[at] as string);
    // What the API leaves out when it is empty: that its parent is there says that it was read.
    const isUnset = value === '' && shape.form !== 'string-or-empty';
    if (isUnset || (Array.isArray(value) && value.length === 0)) continue;
    const name = shape.form === 'certificate' ? undefined : path[last];
    const printed = printShape(shape, value);
    if (name === undefined) childOf(object, ownField).certificate = printed;
    else if (jsonOf(parent[name]) && jsonOf(printed))
      Object.assign(parent[name] as JsonObject, printed);
    else parent[name] = printed;
  }
}

/** The field for values that Kubernetes has no field for. */
export const ownField = 'kubectl-gc';

function printShape(shape: Form, value: unknown): unknown {
  if (shape.form === 'is-set') return {};
  if (shape.form === 'plain-selector') return jsonOf(value)?.matchLabels;
  if (shape.form === 'list') {
    return (value as readonly unknown[]).map((entry) => printShape(shape.of, entry));
  }
  if (shape.form !== 'object') return value;
  const printed: JsonObject = {};
  const [field] = shape.fields;
  if (!shape.unwrapped) printFields(shape.fields, value as object, printed);
  else if (field) printFields(shape.fields, { [field.key]: value }, printed);
  return printed;
}

function childOf(parent: JsonObject, name: string): JsonObject {
  const child = jsonOf(parent[name]) ?? {};
  parent[name] = child;
  return child;
}

/** The object of its fields' values, always in the same order; undefined when the shape does not keep it. */
export function compose(shape: ObjectForm, values: readonly unknown[]): unknown {
  if (shape.unwrapped) return values[0];
  if (shape.blank) return fill({ ...shape.blank }, shape.fields, values);
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

/** Sets what was read in an object that has every field. */
export function fill<T extends object>(
  object: T,
  fields: readonly NamedField[],
  values: readonly unknown[],
): T {
  const written = object as Record<string, unknown>;
  let index = 0;
  for (const { key } of fields) {
    const value = values[index++];
    if (value !== undefined) written[key] = value;
  }
  return object;
}

import { certificateOf } from './certificate.ts';
import { compose } from './compose.ts';
import type { Form, NamedField } from './shape.ts';

type Json = Record<string, unknown>;

/** What a shape keeps of a JSON value; undefined when it is unset or of another type. */
function readShape(shape: Form, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  switch (shape.form) {
    case 'text':
    case 'time':
    case 'micro-time':
      return typeof value === 'string' && value !== '' ? value : undefined;
    case 'integer':
      return typeof value === 'number' ? value : undefined;
    case 'count':
      return typeof value === 'number' && value !== 0 ? value : undefined;
    case 'flag':
      return value === true ? true : undefined;
    case 'presence':
      return jsonOf(value) ? true : undefined;
    case 'labels':
      return textsByKey(value);
    case 'plain-selector': {
      const matchLabels = textsByKey(value);
      return matchLabels && { matchLabels };
    }
    case 'certificate':
      return typeof value === 'string' && value !== '' ? certificateOf(decoded(value)) : undefined;
    case 'list':
      return readList(shape.of, value);
    case 'object': {
      const json = jsonOf(value);
      return json && compose(shape, readFields(shape.fields, json));
    }
  }
}

/** The values of the fields, in their order. */
export function readFields(fields: readonly NamedField[], json: Json): unknown[] {
  return fields.map(({ path, shape }) => readShape(shape, valueAt(json, path)));
}

export function jsonOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

function readList(of: Form, value: unknown): unknown[] | undefined {
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

function textsByKey(value: unknown): Record<string, string> | undefined {
  const json = jsonOf(value);
  if (!json) return undefined;
  let kept: Record<string, string> | undefined;
  for (const key of Object.keys(json)) {
    const entry = json[key];
    if (typeof entry !== 'string') continue;
    kept ??= {};
    kept[key] = entry;
  }
  return kept;
}

/** JSON writes bytes in base64. */
function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

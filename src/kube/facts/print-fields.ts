import { jsonOf } from './read-shape.ts';
import type { Form, NamedField } from './shape.ts';

type Json = Record<string, unknown>;

/** Puts kept values back where they stood in the object. */
export function printFields(fields: readonly NamedField[], values: object, object: Json): void {
  for (const { key, path, shape } of fields) {
    const value = (values as Json)[key];
    if (value === undefined) continue;
    const last = path.length - 1;
    let parent = object;
    for (const name of path.slice(0, last)) parent = childOf(parent, name);
    // What the API leaves out when it is empty: that its parent is there says that it was read.
    if (value === '' || (Array.isArray(value) && value.length === 0)) continue;
    const name = shape.form === 'certificate' ? undefined : path[last];
    const printed = printShape(shape, value);
    if (name === undefined) childOf(object, ownField).certificate = printed;
    else if (jsonOf(parent[name]) && jsonOf(printed)) Object.assign(parent[name] as Json, printed);
    else parent[name] = printed;
  }
}

/** Holds what Kubernetes has no field for. */
export const ownField = 'kubectl-gc';

function printShape(shape: Form, value: unknown): unknown {
  if (shape.form === 'presence') return {};
  if (shape.form === 'plain-selector') return jsonOf(value)?.matchLabels;
  if (shape.form === 'list') {
    return (value as readonly unknown[]).map((entry) => printShape(shape.of, entry));
  }
  if (shape.form !== 'object') return value;
  const printed: Json = {};
  const [field] = shape.fields;
  if (!shape.unwrapped) printFields(shape.fields, value as object, printed);
  else if (field) printFields(shape.fields, { [field.key]: value }, printed);
  return printed;
}

function childOf(parent: Json, name: string): Json {
  const child = jsonOf(parent[name]) ?? {};
  parent[name] = child;
  return child;
}

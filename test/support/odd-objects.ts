import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { metadataFields } from '../../src/kube/facts/metadata.ts';
import { factFieldsOf } from '../../src/kube/facts/object-facts.ts';
import type { Form, NamedField } from '../../src/kube/facts/shape.ts';
import { type Json, jsonOf } from '../../src/kube/json-value.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';

type Mutable = Record<string, unknown>;

/** Objects of the examples, in which much happens. */
export const objects = ['leftovers', 'stuck', 'what-follows'].flatMap((name) =>
  parseAllDocuments(readFileSync(`examples/clusters/${name}.yaml`, 'utf8')).map(
    (document) => document.toJS() as Json,
  ),
);
/** The fields of a kind that hold such values: their paths, with `*` for the entries of a list. */
function leavesOf(fields: readonly NamedField[], isOdd: (form: Form) => boolean): string[][] {
  const inside = (shape: Form): string[][] => {
    if (shape.form === 'list') return inside(shape.of).map((path) => ['*', ...path]);
    if (shape.form === 'object') return leavesOf(shape.fields, isOdd);
    return isOdd(shape) ? [[]] : [];
  };
  return fields.flatMap(({ path, shape }) => inside(shape).map((rest) => [...path, ...rest]));
}

function withValue(value: unknown, [first, ...rest]: readonly string[], odd: unknown): unknown {
  if (first === undefined) return odd;
  if (first === '*') {
    const list = Array.isArray(value) && value.length > 0 ? value : [{}];
    return list.map((entry) => withValue(entry, rest, odd));
  }
  const object = (value ?? {}) as Mutable;
  return { ...object, [first]: withValue(object[first], rest, odd) };
}

export const isNumber = ({ form }: Form) => ['integer', 'count', 'seconds'].includes(form);
/** What holds text of any sort. */
export const isText = ({ form }: Form) => ['text', 'string-or-empty'].includes(form);
export const isTime = ({ form }: Form) => ['time', 'micro-time'].includes(form);
const kindOf = ({ apiVersion, kind }: Json) => `${apiVersion} ${kind}`;
export const kinds = [...new Set(objects.map(kindOf))];
/** Those of which something of spec and status is kept, too. */
export const allKinds = [
  ...new Set([
    ...kinds,
    ...builtInTypes
      .filter((type) => factFieldsOf(type) !== undefined)
      .map((type) => `${apiVersionOf(type)} ${type.kind}`),
  ]),
];

/** The objects of a kind among the examples, else one that has nothing but what is put into it. */
function examplesOf(kind: string): readonly Json[] {
  const found = objects.filter((object) => kindOf(object) === kind);
  if (found.length > 0) return found;
  const [apiVersion, name] = kind.split(' ');
  const metadata = { name: `odd-${name?.toLowerCase()}`, namespace: 'odd', uid: `odd ${kind}` };
  return [{ apiVersion, kind: name, metadata }];
}

function fieldsIn(kind: string, isOdd: (form: Form) => boolean): string[][] {
  const type = builtInTypes.find((one) => `${apiVersionOf(one)} ${one.kind}` === kind);
  return [
    ...leavesOf(metadataFields, isOdd).map((path) => ['metadata', ...path]),
    ...leavesOf((type && factFieldsOf(type)) ?? [], isOdd),
  ];
}

/** The objects of a kind, and the value in every field of one form; an object that is not being deleted stays so. */
export function oddObjects(kind: string, isOdd: (form: Form) => boolean, value: unknown): Json[] {
  const fields = fieldsIn(kind, isOdd);
  return examplesOf(kind).map((object) => {
    const isDeleted = jsonOf(object.metadata)?.deletionTimestamp !== undefined;
    return fields
      .filter((path) => isDeleted || !path.at(-1)?.startsWith('deletion'))
      .reduce((changed, path) => withValue(changed, path, value) as Json, object);
  });
}

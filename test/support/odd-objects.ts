import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { metadataFields } from '../../src/kube/facts/metadata.ts';
import { factFieldsOf } from '../../src/kube/facts/object-facts.ts';
import type { Form, NamedField } from '../../src/kube/facts/shape.ts';
import { fieldsOf, type Json, jsonOf } from '../../src/kube/json-value.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';

type Mutable = Record<string, unknown>;

/** Objects of the examples, in which much happens. */
export const objects = ['leftovers', 'stuck', 'what-follows'].flatMap((name) =>
  parseAllDocuments(readFileSync(`examples/clusters/${name}.yaml`, 'utf8')).map(
    (document) => document.toJS() as Json,
  ),
);
/** What a value of a form is; of what holds no value of an object's own, nothing. */
const sortOf: Readonly<Record<Form['form'], 'number' | 'text' | 'time' | undefined>> = {
  integer: 'number',
  'non-zero': 'number',
  seconds: 'number',
  text: 'text',
  'string-or-empty': 'text',
  labels: 'text',
  'plain-selector': 'text',
  certificate: 'text',
  time: 'time',
  'micro-time': 'time',
  'true-only': undefined,
  'optional-bool': undefined,
  'is-set': undefined,
  list: undefined,
  object: undefined,
};
export const isNumber = ({ form }: Form) => sortOf[form] === 'number';
export const isText = ({ form }: Form) => sortOf[form] === 'text';
export const isTime = ({ form }: Form) => sortOf[form] === 'time';

/** Where an object has a value: its path, with `*` for the entries of a list, and how it is kept. */
interface Leaf {
  readonly path: readonly string[];
  readonly shape: Form;
}

function leavesOf(fields: readonly NamedField[], isOdd: (form: Form) => boolean): Leaf[] {
  const inside = (shape: Form): Leaf[] => {
    if (shape.form === 'list') return within(['*'], inside(shape.of));
    if (shape.form === 'object') return leavesOf(shape.fields, isOdd);
    return isOdd(shape) ? [{ path: [], shape }] : [];
  };
  return fields.flatMap(({ path, shape }) => within(path, inside(shape)));
}

function within(above: readonly string[], leaves: readonly Leaf[]): Leaf[] {
  return leaves.map(({ path, shape }) => ({ path: [...above, ...path], shape }));
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

/** Labels, annotations and selectors hold the value under each key that is kept, else under itself. */
function valueIn(shape: Form, odd: unknown): unknown {
  if (shape.form !== 'labels' && shape.form !== 'plain-selector') return odd;
  const keys = shape.form === 'labels' ? [...(shape.only ?? [`${odd}`])] : [`${odd}`];
  return Object.fromEntries(keys.map((key) => [key, odd]));
}

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

function fieldsIn(kind: string, isOdd: (form: Form) => boolean): Leaf[] {
  const type = builtInTypes.find((one) => `${apiVersionOf(one)} ${one.kind}` === kind);
  return [
    ...within(['metadata'], leavesOf(metadataFields, isOdd)),
    ...leavesOf((type && factFieldsOf(type)) ?? [], isOdd),
  ];
}

/** An object that is not being deleted stays so. */
function isFor(object: Json, { path }: Leaf): boolean {
  const isDeleted = jsonOf(object.metadata)?.deletionTimestamp !== undefined;
  return isDeleted || !path.at(-1)?.startsWith('deletion');
}

/** The objects of a kind, and the value in every field of one form. */
export function oddObjects(kind: string, isOdd: (form: Form) => boolean, value: unknown): Json[] {
  const fields = fieldsIn(kind, isOdd);
  return examplesOf(kind).map((object) =>
    fields
      .filter((leaf) => isFor(object, leaf))
      .reduce(
        (changed, { path, shape }) => withValue(changed, path, valueIn(shape, value)) as Json,
        object,
      ),
  );
}

/** Of each field of a kind that holds text, an object that has this one there, and no other. */
export function objectsWithOneText(kind: string, value: string): Json[] {
  const [example = {}] = examplesOf(kind);
  return fieldsIn(kind, isText).map(({ path, shape }, at) => {
    const { name, uid, ...metadata } = fieldsOf(example.metadata);
    const named = { name: `${name}-${at}`, uid: `${uid}-${at}`, ...metadata };
    return withValue({ ...example, metadata: named }, path, valueIn(shape, value)) as Json;
  });
}

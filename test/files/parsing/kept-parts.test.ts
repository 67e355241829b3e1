import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonScanner } from '../../../src/files/parsing/json-scanner.ts';
import { keepPart, partOf } from '../../../src/files/parsing/kept-parts.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { factFieldsOf, factsOf } from '../../../src/kube/facts/object-facts.ts';
import type { Form } from '../../../src/kube/facts/shape.ts';
import { jsonOf } from '../../../src/kube/json-value.ts';
import { ByteList } from '../../../src/kube/records/byte-list.ts';

type JsonObject = Record<string, unknown>;

const odd = fc.oneof(
  fc.constantFrom(null, '', 'a b', 'ü', 'a\\"b', 0, -1.5, true, false, [], {}, ['x'], [null], [{}]),
  fc.constantFrom({ a: 'b' }, { name: 'x' }, [{ name: 'y' }]),
);
const plain: Readonly<Record<string, unknown>> = {
  text: 'a',
  integer: 3,
  count: 2,
  flag: true,
  answer: false,
  time: '2026-01-01T00:00:00Z',
  labels: { a: 'b' },
  'plain-selector': { a: 'b' },
  presence: { a: 1 },
};

/** What may stand where the form is read. */
function valueFor(form: Form): fc.Arbitrary<unknown> {
  const ordinary =
    form.form === 'list'
      ? fc.array(valueFor(form.of), { maxLength: 3 })
      : form.form === 'object'
        ? objectOf(form.fields)
        : fc.constant(plain[form.form] ?? 'a');
  return fc.oneof({ weight: 4, arbitrary: ordinary }, { weight: 1, arbitrary: odd });
}

function objectOf(fields: NonNullable<ReturnType<typeof factFieldsOf>>): fc.Arbitrary<JsonObject> {
  const values = fields.map(({ shape }) => fc.option(valueFor(shape), { nil: undefined }));
  return fc.tuple(fc.tuple(...values), odd).map(([found, other]) => {
    const object: JsonObject = { other };
    for (const [index, { path }] of fields.entries()) put(object, path, found[index]);
    return object;
  });
}

function put(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (value === undefined) return;
  if (rest.length === 0) object[name] = value;
  else {
    const child: JsonObject = { ...jsonOf(object[name]) };
    put(child, rest, value);
    object[name] = child;
  }
}

const types = builtInTypes.filter((type) =>
  factFieldsOf(type)?.every(({ shape }) => shape.form !== 'certificate'),
);

test('the facts of what is kept of an object are those of the whole object', () => {
  for (const type of types) {
    const fields = factFieldsOf(type) ?? [];
    const part = partOf(fields);
    const json = new JsonScanner();
    fc.assert(
      fc.property(objectOf(fields), fc.constantFrom(undefined, 1), (object, space) => {
        const { metadata: _, ...others } = object;
        const text = JSON.stringify(others, null, space);
        const kept = new ByteList(64);
        json.bytes = Buffer.from(`${text}\n`);
        expect(keepPart(json, 0, part, kept)).toBe(json.bytes.length - 1);
        expect(kept.text()).not.toContain('\n');
        expect(factsOf(JSON.parse(kept.text()), type)).toEqual(factsOf(JSON.parse(text), type));
      }),
      { numRuns: 20 },
    );
  }
});

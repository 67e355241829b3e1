import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeItem } from '../../src/cluster/protobuf/decode-item.ts';
import { ListDecoder, type ListMetadata } from '../../src/cluster/protobuf/list-decoder.ts';
import { StringPool } from '../../src/cluster/protobuf/string-pool.ts';
import { envelopedObject, WireReader } from '../../src/cluster/protobuf/wire-reader.ts';
import { isPathSegment } from '../../src/kube/names.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import type { ResourceType } from '../../src/kube/resource-type.ts';
import { builtIn } from './built-in.ts';
import { encodeList, type Metadata } from './encode-list.ts';
import { delimited, enveloped, fixed32, fixed64, number } from './wire-writer.ts';

const pods = builtIn('pods');

function recorded(name: string): Buffer {
  return readFileSync(new URL(`recorded/${name}`, import.meta.url));
}

/** What recordOf makes of the items of a JSON list, which is the truth to agree with. */
function recordsOfJson(list: string, type: ResourceType): ObjectRecord[] {
  const { items } = JSON.parse(list) as { items: { metadata: Record<string, unknown> }[] };
  return items.map((item) => {
    delete item.metadata.managedFields;
    return recordOf(item, type);
  });
}

function decode(
  bytes: Uint8Array,
  type: ResourceType,
  cuts: readonly number[] = [],
): { records: ObjectRecord[]; metadata: ListMetadata } {
  const records: ObjectRecord[] = [];
  const decoder = new ListDecoder(type, new StringPool(64), records);
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    decoder.push(bytes.subarray(at, cut));
    at = cut;
  }
  const metadata = decoder.finish();
  return { records, metadata };
}

describe('what a real API server writes', () => {
  test.each([
    ['pods-metadata', 'pods'],
    ['pods', 'pods'],
    ['namespaces', 'namespaces'],
    ['persistentvolumes', 'persistentvolumes'],
    ['persistentvolumeclaims', 'persistentvolumeclaims'],
  ])('%s: protobuf and JSON give equal records', (file, resource) => {
    const type = builtIn(resource);
    const { records } = decode(recorded(`${file}.pb`), type);
    expect(records).toEqual(recordsOfJson(recorded(`${file}.json`).toString(), type));
    expect(records.length).toBeGreaterThan(0);
  });

  test('a page, with where to go on', () => {
    const { records, metadata } = decode(recorded('pods-page.pb'), pods);
    expect(records.map(({ name }) => name)).toEqual(['ancient', 'bare']);
    expect(metadata).toEqual({
      resourceVersion: '1620',
      continue: expect.stringMatching(/^[\w-]{20,}$/),
    });
  });

  test('a single object', () => {
    const reader = new WireReader(envelopedObject(recorded('pod-metadata.pb')));
    const wanted = recordsOfJson(recorded('pods-metadata.json').toString(), pods);
    expect(decodeItem(reader, pods, new StringPool(16))).toEqual(
      wanted.find(({ name }) => name === 'owned'),
    );
  });

  test('cut short at any byte: an error, never a shorter list', () => {
    const bytes = recorded('pods.pb');
    // The last four bytes are the envelope's empty contentEncoding and contentType.
    for (let length = 0; length < bytes.length - 4; length++) {
      expect(() => decode(bytes.subarray(0, length), pods)).toThrow('the list ends early');
    }
  });
});

const names = fc.stringMatching(/^[a-z0-9.-]{1,20}$/).filter(isPathSegment);
const texts = fc.oneof(names, fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant(''));
const times = fc
  .date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);
const maps = fc.dictionary(
  fc.oneof(names, fc.constantFrom('meta.helm.sh/release-name', 'helm.sh/hook')),
  texts,
  { maxKeys: 4, noNullPrototype: true },
);
const metadata: fc.Arbitrary<Metadata> = fc.record(
  {
    name: names,
    namespace: names,
    uid: fc.oneof(fc.uuid(), fc.constant('')),
    resourceVersion: fc.nat().map(String),
    generation: fc.nat(),
    creationTimestamp: fc.oneof(times, fc.constant(null)),
    deletionTimestamp: times,
    deletionGracePeriodSeconds: fc.integer(),
    labels: maps,
    annotations: maps,
    ownerReferences: fc.array(
      fc.record(
        {
          apiVersion: texts,
          kind: texts,
          name: texts,
          uid: texts,
          controller: fc.boolean(),
          blockOwnerDeletion: fc.boolean(),
        },
        { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
      ),
      { maxLength: 3 },
    ),
    finalizers: fc.array(texts, { maxLength: 3 }),
    managedFields: fc.array(fc.constant({ manager: 'kubectl', fieldsV1: { 'f:metadata': {} } })),
  },
  { requiredKeys: ['name'] },
);

describe('any list', () => {
  test('gives the records of its JSON, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(metadata, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (items, places) => {
          const bytes = encodeList(items, { resourceVersion: '7' });
          const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
          const wanted = items.map(({ managedFields: _, ...item }) =>
            recordOf({ metadata: withoutEmpty(item) }, pods),
          );
          expect(decode(bytes, pods, cuts)).toEqual({
            records: wanted,
            metadata: { resourceVersion: '7', continue: '' },
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['before year 0', -62_167_219_201n],
  ['after year 9999', 253_402_300_800n],
  ['of the largest number', 2n ** 63n - 1n],
  ['of the smallest number', -(2n ** 63n)],
])('a time %s is unset, as in JSON, a grace period limited', (_, seconds) => {
  const odd = Buffer.concat([
    delimited(1, 'odd'),
    delimited(8, number(1, seconds)),
    number(10, seconds),
  ]);
  const sound = Buffer.concat([delimited(1, 'sound'), delimited(8, number(1, 0))]);
  const list = [odd, sound].map((metadata) => delimited(2, delimited(1, metadata)));
  const { records } = decode(enveloped('PartialObjectMetadataList', Buffer.concat(list)), pods);
  const [first, second] = records;
  expect([first?.name, first?.creationTimestamp]).toEqual(['odd', undefined]);
  const grace = first?.deletionGracePeriodSeconds ?? Number.NaN;
  expect(Math.abs(grace)).toBeLessThan(2 ** 63 / 1e9);
  expect([second?.name, second?.creationTimestamp]).toEqual(['sound', '1970-01-01T00:00:00Z']);
});

/** The API server omits empty strings, maps and lists from JSON and writes them to protobuf. */
function withoutEmpty(item: Metadata): object {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([, value]) =>
        (value !== '' && Object.keys(Object(value)).length !== 0) || typeof value === 'number',
    ),
  );
}

describe('bytes that are no list', () => {
  const item = delimited(1, delimited(1, 'web'));
  test.each([
    ['text', Buffer.from('<html>nothing here</html>'), 'does not start with k8s'],
    ['encoded content', Buffer.concat([Buffer.from('k8s\0'), delimited(3, 'gzip')]), 'is encoded'],
    [
      'a truncated list',
      Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, 3, 0x12, 9, 1])]),
      'runs over the end',
    ],
    [
      'an item without metadata',
      enveloped('PodList', delimited(2, number(9, 1))),
      'without metadata',
    ],
    ['a group', enveloped('PodList', Buffer.from([0x0b])), 'wire type 3'],
    ['an endless number', enveloped('PodList', Buffer.alloc(12, 0x80)), 'more than ten bytes'],
    [
      'a truncated item',
      enveloped('PodList', delimited(2, delimited(1, Buffer.from([0x0a, 9])))),
      'runs over the end',
    ],
  ])('%s', (_, bytes, message) => {
    expect(() => decode(bytes, pods)).toThrow(message);
  });

  test('steps over fields it does not know', () => {
    const unknown = [fixed32(20), fixed64(21), number(22, 300), delimited(23, 'x'.repeat(300))];
    const bytes = enveloped(
      'PartialObjectMetadataList',
      Buffer.concat([
        ...unknown,
        delimited(2, Buffer.concat([...unknown, item, ...unknown])),
        ...unknown,
        delimited(2, delimited(1, Buffer.concat([...unknown, delimited(1, 'db'), ...unknown]))),
      ]),
    );
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(decode(bytes, pods, [cut]).records.map(({ name }) => name)).toEqual(['web', 'db']);
    }
  });
});

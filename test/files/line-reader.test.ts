import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newInputContents } from '../../src/files/input-contents.ts';
import { LineReader } from '../../src/files/line-reader.ts';
import { objectFault } from '../../src/files/object-fault.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { Json } from '../../src/kube/json-value.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { RecordList } from '../../src/kube/records/record-list.ts';
import { plainRecord } from '../../src/kube/records/stored-record.ts';

const kinds = [
  ['v1', 'ConfigMap'],
  ['v1', 'Pod'],
  ['v1', 'Secret'],
  ['v1', 'Node'],
  ['apps/v1', 'ReplicaSet'],
  ['certificates.k8s.io/v1', 'CertificateSigningRequest'],
  ['shop.example.com/v1', 'Widget'],
] as const;
const place = { path: 'objects.ndjson', line: 7 };

const shared = newInputContents(builtInTypes);
for (const [apiVersion, kind] of kinds) {
  shared.kinds.use(apiVersion, kind, { namespaced: true, stored: true }, place);
}

/** Reads a line twice, as equal bytes are read otherwise than new ones; undefined when it is refused. */
function read(line: string | Buffer): ObjectRecord | undefined {
  const contents = { ...shared, list: new RecordList(0) };
  const reader = new LineReader(contents, place.path);
  const bytes = Buffer.concat([Buffer.from('{}\n'), Buffer.from(line), Buffer.from('\n{}\n')]);
  const taken = [1, 2].map(() => reader.read(bytes, 3, bytes.length - 4, place.line));
  const records = contents.list.records.map(plainRecord);
  expect(records).toHaveLength(taken.filter((object) => object !== undefined).length);
  expect(records[1]).toEqual(records[0]);
  return records[0];
}

/** The record of the parsed object, out of columns as well: that is the truth to agree with. */
function parsed(line: string | Buffer): ObjectRecord {
  const object = JSON.parse(String(line)) as Json;
  expect(objectFault(object)).toBeUndefined();
  const type = shared.kinds.seen(object.apiVersion as string, object.kind as string)?.type;
  if (!type) throw new Error('a kind that was not seen');
  const list = new RecordList(0);
  list.add(recordOf(object, type, place));
  return plainRecord(list.records[0] as ObjectRecord);
}

function expectSame(line: string | Buffer): boolean {
  const record = read(line);
  if (record) expect(record).toEqual(parsed(line));
  return record !== undefined;
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: '9c408f56-580f-485e-835a-58cd456678e7',
    resourceVersion: '1079190',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', 'app.kubernetes.io/name': '' },
    annotations: { 'deployment.kubernetes.io/revision': '3', 'example.com/note': 'a "b" \\ größe' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        uid: '9ce8dda2-771f-476b-87da-2559072a3534',
        controller: true,
        blockOwnerDeletion: false,
      },
      { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'odd' },
    ],
    finalizers: ['example.com/keep'],
    managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': {} } }],
  },
  spec: { nodeName: 'node-a', containers: [{ name: 'app', image: 'app:1', env: [1.5e-3, null] }] },
  status: { phase: 'Running' },
};

describe('an ordinary object is taken', () => {
  test.each([
    ['with all fields', pod],
    ['of metadata alone', { ...pod, spec: undefined, status: undefined }],
    ['that was never applied', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
    [
      'whose references have a writer',
      {
        ...pod,
        metadata: {
          ...pod.metadata,
          managedFields: [
            {
              manager: 'kubectl',
              operation: 'Update',
              fieldsV1: { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"odd"}': {} } } },
            },
          ],
        },
      },
    ],
    ['a Secret', { ...pod, kind: 'Secret', type: 'Opaque', data: { password: 'c2VjcmV0' } }],
    ['of a kind of its own', { ...pod, apiVersion: 'shop.example.com/v1', kind: 'Widget' }],
    ['of the cluster', { ...pod, kind: 'Node', spec: { taints: [] } }],
    ['of the cluster, without a spec', { ...pod, kind: 'Node', spec: null }],
    [
      'by whose generation a controller decides',
      { ...pod, apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: { replicas: 2 } },
    ],
  ])('%s', (_, object) => {
    expect(expectSame(JSON.stringify(object))).toBe(true);
    expect(expectSame(JSON.stringify(object, null, ' ').replaceAll('\n', '\t'))).toBe(true);
  });
});

const { metadata } = pod;
const refused: readonly (readonly [string, string])[] = [
  ['a list', JSON.stringify({ ...pod, items: [] })],
  ['a name twice', JSON.stringify(pod).replace('"name"', '"name":"db","name"')],
  ['metadata twice', JSON.stringify(pod).replace('"spec"', '"metadata":{"name":"db"},"spec"')],
  ['a spec twice', JSON.stringify(pod).replace('"status"', '"spec":{},"status"')],
  ['a key with a backslash', JSON.stringify(pod).replace('"name"', '"n\\u0061me":"db","name"')],
  ['no name', JSON.stringify({ ...pod, metadata: { ...metadata, name: '' } })],
  [
    'a name that leads elsewhere',
    JSON.stringify({ ...pod, metadata: { ...metadata, name: '..' } }),
  ],
  [
    'a label that is a number',
    JSON.stringify({ ...pod, metadata: { ...metadata, labels: { a: 1 } } }),
  ],
  [
    'an object that is being deleted',
    JSON.stringify({
      ...pod,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
  ],
  [
    'a reference that is null',
    JSON.stringify({ ...pod, metadata: { ...metadata, ownerReferences: [null] } }),
  ],
  ['a flag that is text', JSON.stringify(pod).replace('"controller":true', '"controller":"yes"')],
  ['a definition of kinds', JSON.stringify({ ...pod, kind: 'CustomResourceDefinition' })],
  ['a token', JSON.stringify({ ...pod, kind: 'Secret', type: 'bootstrap.kubernetes.io/token' })],
  ['a kind that was not seen', JSON.stringify({ ...pod, kind: 'Service' })],
  ['two values', `${JSON.stringify(pod)}{}`],
];

test.each(refused)('%s is refused', (_, line) => {
  expect(read(line)).toBeUndefined();
});

const odd = fc.oneof(
  fc.constantFrom(null, '', 'a b', 'ü', 'a\\b', 'a/b', 0, -1.5, true, [], {}, ['x'], { a: 'b' }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown),
);
const key = fc.oneof(
  fc.constantFrom(...Object.keys(metadata), 'deletionTimestamp', 'a', 'f:ownerReferences'),
  fc.string({ maxLength: 3 }),
);

/** The object with other values at some places, and with fields that are there twice. */
const anyLine = fc
  .record({
    kind: fc.constantFrom(...kinds),
    changes: fc.dictionary(key, odd, { maxKeys: 3, noNullPrototype: true }),
    inReference: fc.dictionary(fc.constantFrom('kind', 'name', 'uid', 'controller', 'x'), odd, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    inMap: fc.dictionary(fc.oneof(key, fc.constantFrom('helm.sh/hook', '__proto__', '1')), odd, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    top: fc.dictionary(fc.constantFrom('spec', 'status', 'type', 'x'), odd, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    twice: fc.option(fc.tuple(key, odd), { nil: undefined }),
    space: fc.constantFrom(undefined, 1),
  })
  .map(({ kind: [apiVersion, kind], changes, inReference, inMap, top, twice, space }) => {
    const { labels, annotations, ownerReferences } = metadata;
    const object = {
      ...pod,
      apiVersion,
      kind,
      ...top,
      metadata: {
        ...metadata,
        labels: { ...labels, ...inMap },
        annotations: { ...annotations, ...inMap },
        ownerReferences: ownerReferences.map((one) => ({ ...one, ...inReference })),
        ...changes,
      },
    };
    const line = JSON.stringify(object, null, space).replaceAll('\n', ' ');
    const again = twice && `${JSON.stringify(twice[0])}:${JSON.stringify(twice[1])},`;
    return again ? line.replace(/"metadata": ?\{/, (found) => found + again) : line;
  });

const runs = Number(process.env.LINE_READER_RUNS ?? 300);
const longest = 30_000 + 100 * runs;

test(
  'what is taken of any object is what parsing makes of it',
  () => {
    fc.assert(
      fc.property(anyLine, (line) => void expectSame(line)),
      { numRuns: runs },
    );
  },
  longest,
);

test(
  'what is taken of lines side by side is what parsing makes of each',
  () => {
    const small = fc.record({
      labels: fc.constantFrom(undefined, { app: 'web' }, { app: 'web', a: 'b' }, { app: 'db-1' }),
      annotations: fc.constantFrom(
        undefined,
        {},
        { 'helm.sh/hook': 'a' },
        { note: 'helm' },
        // Refused behind the one that is kept.
        { 'helm.sh/hook': 'b', 'a\\b': 'c' },
      ),
      ownerReferences: fc.constantFrom(undefined, metadata.ownerReferences.slice(0, 1)),
      uid: fc.constantFrom(metadata.uid, ''),
    });
    const alike = fc
      .tuple(small, fc.constantFrom(...kinds), fc.shuffledSubarray([0, 1, 2], { minLength: 3 }))
      .map(([changes, [apiVersion, kind], order]) => {
        const whole = { ...metadata, ...changes };
        const parts = [{ apiVersion, kind }, { metadata: whole }, { spec: pod.spec }];
        return JSON.stringify(Object.assign({}, ...order.map((index) => parts[index])));
      });
    const twice = alike.map((line) => `${line.slice(0, -1)},"apiVersion":"v1","kind":"Pod"}`);
    const line = fc.oneof({ weight: 6, arbitrary: alike }, twice, anyLine);
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 2, maxLength: 8 }),
        fc.nat({ max: 1 }),
        (lines, at) => {
          const contents = { ...shared, list: new RecordList(0) };
          const reader = new LineReader(contents, place.path);
          // Written over by each line, as the JSON that is made of YAML is.
          const memory = Buffer.alloc(64 * 1024);
          const taken = lines.filter((text) => {
            const end = at + memory.write(`${text}\n`, at) - 1;
            return reader.read(memory.subarray(0, end + 1), at, end, place.line) !== undefined;
          });
          expect(contents.list.records.map(plainRecord)).toEqual(taken.map(parsed));
        },
      ),
      { numRuns: runs },
    );
  },
  longest,
);

test(
  'what is taken of a damaged line is what parsing makes of it',
  () => {
    const damage = fc.record({
      place: fc.nat(),
      removed: fc.nat({ max: 3 }),
      added: fc.constantFrom(
        '',
        '"',
        '\\',
        '{',
        '}',
        ',',
        ':',
        '[',
        ']',
        '0',
        '-',
        'e',
        't',
        '\u0001',
        ' ',
        'ü',
      ),
    });
    fc.assert(
      fc.property(anyLine, damage, (line, { place: at, removed, added }) => {
        const bytes = Buffer.from(line);
        const from = at % bytes.length;
        const rest = bytes.subarray(from + removed);
        expectSame(Buffer.concat([bytes.subarray(0, from), Buffer.from(added), rest]));
      }),
      { numRuns: runs },
    );
  },
  longest,
);

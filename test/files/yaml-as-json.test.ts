import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fromFiles } from '../../src/files/from-files.ts';

const uid = (index: number): string =>
  `9c408f56-580f-485e-835a-${index.toString(16).padStart(12, '0')}`;

function objectOf(index: number, more: object = {}, metadata: object = {}): object {
  const isPod = index % 2 === 0;
  return {
    apiVersion: 'v1',
    kind: isPod ? 'Pod' : 'ConfigMap',
    metadata: {
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `app-${index % 7}`, 'app.kubernetes.io/part-of': 'shop' },
      managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': { '.': {} } } }],
      name: `object-${index}`,
      namespace: `team-${index % 3}`,
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: 'a', uid: uid(0), controller: true },
      ],
      resourceVersion: String(1000 + index),
      uid: uid(index + 1),
      ...metadata,
    },
    ...(isPod
      ? { spec: { nodeName: `node-${index % 5}` }, status: { phase: 'Running' } }
      : { data: { text: 'some lines:\n- "one"\n- two\n' } }),
    ...more,
  };
}

const ordinary = Array.from({ length: 60 }, (_, index) => objectOf(index));
const odd = [
  objectOf(1000, {}, { annotations: { 'example.com/note': 'größe\n"\\', 'helm.sh/hook': 'x' } }),
  objectOf(1002, {}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] }),
  objectOf(1004, {}, { resourceVersion: '007' }),
  objectOf(1006, {}, { labels: { é: 'ü', empty: '' } }),
  objectOf(1008, { spec: null }),
  objectOf(1010, { spec: { nodeName: 'yes', terminationGracePeriodSeconds: 1e21 } }),
  objectOf(1012, { kind: 'List', items: [objectOf(1014), objectOf(1016)] }),
  objectOf(1018, { kind: 'Service' }),
  objectOf(1020, {}, { namespace: null, uid: '', creationTimestamp: null }),
  objectOf(1022, {}, { name: 12 }),
  objectOf(1024, {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 1 }] }),
  objectOf(1026, {}, { name: 'object-0', namespace: 'team-0', uid: uid(1) }),
  objectOf(1028, { apiVersion: undefined }),
];

async function read(text: string) {
  const chunks = text.match(/[\s\S]{1,5000}/g) ?? [];
  const { records, coverage } = await fromFiles(['-'], {
    now: () => new Date(0),
    stdin: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
  });
  const withoutLine = (message: string): string => message.replaceAll(/<stdin>:\d+/g, '<stdin>');
  return {
    lines: records.map(({ place }) => place?.line),
    records: records.map((record) => ({ ...record, place: undefined })),
    problems: coverage.problems.map(({ reason, message }) => [reason, withoutLine(message)]),
  };
}

const style = { version: '1.1', indentSeq: false } as const;

test.each([0, 80])(
  'a YAML list is read as the same list in JSON: lines of %i',
  async (lineWidth) => {
    const list = { apiVersion: 'v1', items: [...ordinary, ...odd], kind: 'List' };
    const text = stringify(list, { ...style, lineWidth });
    const [ofYaml, ofJson] = [await read(text), await read(JSON.stringify(list))];
    expect(ofYaml.records).toEqual(ofJson.records);
    expect(ofYaml.problems).toEqual(ofJson.problems);
    const starts = text.split('\n').flatMap((line, index) => (/^- /.test(line) ? [index + 1] : []));
    expect(ofYaml.lines.slice(1, 60)).toEqual(starts.slice(1, 60));
  },
);

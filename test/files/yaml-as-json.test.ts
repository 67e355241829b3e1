import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fromFiles } from '../../src/files/from-files.ts';

const uid = (index: number): string =>
  `9c408f56-580f-485e-835a-${index.toString(16).padStart(12, '0')}`;

/** A Pod where the index is even, else a ConfigMap. */
function objectOf(index: number, more: object = {}, metadata: object = {}): object {
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'Node', name: 'a', uid: uid(0), controller: true },
  ];
  return {
    apiVersion: 'v1',
    kind: index % 2 === 0 ? 'Pod' : 'ConfigMap',
    metadata: {
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `app-${index % 7}`, 'app.kubernetes.io/part-of': 'shop' },
      managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': { '.': {} } } }],
      name: `object-${index}`,
      namespace: `team-${index % 3}`,
      ownerReferences,
      resourceVersion: String(1000 + index),
      uid: uid(index + 1),
      ...metadata,
    },
    ...(index % 2 === 0
      ? { spec: { nodeName: `node-${index % 5}` }, status: { phase: 'Running' } }
      : { data: { text: 'some lines:\n- "one"\n- two\n' } }),
    ...more,
  };
}

const ordinary = Array.from({ length: 60 }, (_, index) => objectOf(index));
const oddMetadata = [
  { annotations: { 'example.com/note': 'größe\n"\\', 'helm.sh/hook': 'x' } },
  { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] },
  { resourceVersion: '007' },
  { labels: { é: 'ü', empty: '' } },
  { namespace: null, uid: '', creationTimestamp: null },
  { name: 12 },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: 1 }] },
  { name: 'object-0', namespace: 'team-0', uid: uid(1) },
].map((metadata, at) => objectOf(1000 + 2 * at, {}, metadata));
const oddFields = [
  { spec: null },
  { spec: { nodeName: 'yes', terminationGracePeriodSeconds: 1e21 } },
  { kind: 'List', items: [objectOf(1014), objectOf(1016)] },
  { kind: 'Service' },
  { apiVersion: undefined },
].map((more, at) => objectOf(2000 + 2 * at, more));

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

test.each([0, 80])('a YAML list equals the same list in JSON: lines of %i', async (lineWidth) => {
  const list = {
    apiVersion: 'v1',
    items: [...ordinary, ...oddMetadata, ...oddFields],
    kind: 'List',
  };
  const text = stringify(list, { ...style, lineWidth });
  const [ofYaml, ofJson] = [await read(text), await read(JSON.stringify(list))];
  expect(ofYaml.records).toEqual(ofJson.records);
  expect(ofYaml.problems).toEqual(ofJson.problems);
  const starts = text.split('\n').flatMap((line, index) => (/^- /.test(line) ? [index + 1] : []));
  expect(ofYaml.lines.slice(1, 60)).toEqual(starts.slice(1, 60));
});

import { readdirSync, readFileSync } from 'node:fs';
import { crc32, gzipSync, zstdCompressSync } from 'node:zlib';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import { fromFiles } from '../../../src/files/from-files.ts';
import { fromNodeFiles } from '../../../src/files/nodes/from-node-files.ts';
import { readDocuments } from '../../../src/files/read-documents.ts';
import { encodeSnapshot } from '../../../src/files/saved-snapshot.ts';
import { apiVersionOf } from '../../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { decodeNodes, encodeNodes } from '../../../src/kubelet/saved-nodes.ts';
import * as questions from '../../../src/library/questions.ts';
import { render } from '../../../src/questions/render.ts';
import { snapshotDiff } from '../../../src/questions/snapshot/diff-document.ts';
import { exportTables } from '../../../src/questions/snapshot/export-tables.ts';
import { snapshotInfo } from '../../../src/questions/snapshot/info-document.ts';
import { readDump } from '../../../src/restore/backup/read-dump.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { decodeSettings, encodeSettings } from '../../../src/settings/settings-facts.ts';
import { redactSnapshot } from '../../../src/shell/redact/redact-snapshot.ts';
import { settingsOfFiles } from '../../../src/shell/settings/settings-of-files.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { type Ending, type Reader, readerOf } from './reader.ts';

const root = new URL('../../../', import.meta.url);
const now = () => new Date('2026-02-01T00:00:00Z');

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(ending) && !name.includes('settings'))
    .map((name) => new URL(`${folder}/${name}`, root).pathname);
}

/** Every controller and every rule has one: among them is every kind whose spec and status count. */
const manifests = [
  ...filesIn('docs/collectors', '.yaml'),
  ...filesIn('docs/rules', '.yaml'),
  ...filesIn('test/fixtures/clusters', '.yaml'),
  ...filesIn('examples/shop', '.yaml'),
];

/** Each asks the snapshot something; what the answer is, others test. */
const asked: readonly ((snapshot: Snapshot) => unknown)[] = [
  (snapshot) => questions.audit(snapshot),
  (snapshot) => questions.orphans(snapshot),
  (snapshot) => questions.forecast(snapshot, { within: 3_600_000 }),
  (snapshot) => questions.owners(snapshot, first(snapshot)),
  (snapshot) => questions.tree(snapshot, first(snapshot)),
  (snapshot) => questions.why(snapshot, first(snapshot)),
  (snapshot) => questions.plan(snapshot, first(snapshot)),
  (snapshot) => findInvalidReferences(buildGraph(snapshot)),
  (snapshot) => render(snapshotInfo(snapshot), 'table', look),
  (snapshot) => render(questions.audit(snapshot), 'table', look),
  (snapshot) => [...encodeSnapshot(snapshot, crc32)].join(''),
  (snapshot) => redactSnapshot(snapshot),
  (snapshot) => {
    const graph = buildGraph(snapshot);
    for (const table of exportTables) Array.from(table.rows(graph, 'one'));
  },
  (snapshot) => {
    const one = { snapshot, server: undefined };
    const all = { namespace: undefined, kinds: undefined, matches: () => true };
    snapshotDiff(one, one, all, defaultControllerSettings);
  },
  (snapshot) => {
    const { settings, nodes } = snapshot.evidence ?? {};
    if (settings) decodeSettings(settings);
    if (nodes) decodeNodes(nodes);
  },
  (snapshot) => snapshot.records.map((record) => JSON.stringify(record)),
];

const look = { colour: false, width: 80, now: now().getTime() };

function first({ records }: Snapshot) {
  return records.slice(0, 1).map(({ type, namespace, name }) => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    namespace,
    name,
  }));
}

async function readCluster(path: string, question: number): Promise<Ending> {
  if (question % (asked.length + 1) === asked.length) {
    const { problems } = await readDump([path], { now });
    return problems.length === 0 ? 'whole' : 'incomplete';
  }
  const snapshot = await fromFiles([path], { now, complete: question % 2 === 0 });
  await asked[question % (asked.length + 1)]?.(snapshot);
  const { problems } = snapshot.coverage;
  return problems.every(({ reason }) => reason === 'no-uid') ? 'whole' : 'incomplete';
}

/** What comes before the end of a document, or of packed data, is none. */
function isCut(example: Buffer, bytes: Buffer): boolean {
  return bytes.length < example.length && example.subarray(0, bytes.length).equals(bytes);
}

async function withEvidence(snapshot: Snapshot): Promise<Snapshot> {
  const example = (name: string) => new URL(`examples/${name}`, root).pathname;
  const { facts } = await settingsOfFiles({
    from: [example('settings/kube-controller-manager.yaml')],
    kubelet: example('settings/kubelet.yaml'),
  });
  const nodes = await fromNodeFiles([example('nodes/worker-2.txt')]);
  const uid = snapshot.records[0]?.uid ?? '';
  const manager = { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z' };
  return {
    ...snapshot,
    evidence: {
      settings: encodeSettings(facts),
      nodes: encodeNodes(nodes),
      fieldManagers: { [uid]: [manager] },
      answers: [],
    },
  };
}

/** The snapshot with the sum that its text has now, as one who edits it would put it there. */
function withChecksum(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('],"crc32":"');
  if (end < 0) return bytes;
  const sum = crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0');
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`],"crc32":"${sum}"}\n`)]);
}

/** All readers of objects of a cluster. */
export async function clusterReaders(): Promise<readonly Reader[]> {
  const texts = manifests.map((path) => readFileSync(path));
  const lists: unknown[][] = [];
  for (const text of texts) {
    lists.push((await readDocuments(text)).map(({ value }) => value));
  }
  const asList = (items: readonly unknown[]) =>
    Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'List', items, metadata: {} }));
  const snapshots: Snapshot[] = [];
  for (const path of manifests) snapshots.push(await fromFiles([path], { now }));
  const kinds = new Set(snapshots.flatMap(({ records }) => records.map(({ type }) => type.kind)));
  const small = snapshots.map((snapshot) => trimmed(snapshot, kinds));
  const full = await Promise.all(small.map(withEvidence));
  const saved = [...small, ...full].map((one) =>
    Buffer.from([...encodeSnapshot(one, crc32)].join('')),
  );
  const asLists = lists.map(asList);
  const ndjson = lists.map((list) => list.map((one) => `${JSON.stringify(one)}\n`).join(''));
  // Its checksum is about itself: behind a directive or a comment of YAML it is as whole as alone.
  const isChanged = (example: Buffer, bytes: Buffer) =>
    !bytes.includes(example.subarray(0, example.length - 1));
  const names = /^the saved snapshot /;
  const reader = (
    text: string,
    examples: readonly Buffer[],
    more?: Parameters<typeof readerOf>[3],
  ) => readerOf(text, examples, readCluster, more);
  return [
    reader('YAML | text | x.yaml', texts),
    reader('a list in JSON | json | x.json', asLists, {
      mustTell: (example, bytes) => isCut(Buffer.from(example.toString().trimEnd()), bytes),
    }),
    reader('JSON in a YAML file | json | x.yaml', asLists, {
      finish: (bytes) => Buffer.concat([Buffer.from('# \n'), bytes]),
    }),
    reader(
      'NDJSON | text | x.ndjson',
      ndjson.map((text) => Buffer.from(text)),
    ),
    reader('a snapshot, old checksum | bytes | x.json', saved, {
      mustTell: isChanged,
    }),
    reader('a saved snapshot, with a correct checksum | text | x.json', saved, {
      ...{ finish: withChecksum, names },
    }),
    reader('snapshot fields, new checksum | json | x.json', saved, {
      ...{ finish: (bytes) => withChecksum(onLines(bytes)), names },
    }),
    reader(
      'gzip | bytes | x.json.gz',
      asLists.map((list) => gzipSync(list)),
      { mustTell: isCut },
    ),
    reader(
      'zstd | bytes | x.json.zst',
      asLists.map((list) => zstdCompressSync(list)),
      { mustTell: isCut },
    ),
  ];
}

/** With the kinds alone that some example has: else most mutations would hit the list of kinds. */
function trimmed(snapshot: Snapshot, kinds: ReadonlySet<string>): Snapshot {
  const { all, failed, exhaustive } = snapshot.types;
  const few = all.filter(({ kind }) => kinds.has(kind));
  return { ...snapshot, types: new ResourceTypes(few, { failed, exhaustive }) };
}

/** One JSON document, on the lines that a saved snapshot has: only then is it read as one. */
function onLines(bytes: Buffer): Buffer {
  const text = bytes.toString();
  const begin = text.indexOf('"objects":[');
  if (begin < 0) return bytes;
  const objects = elementsOf(text, begin + '"objects":['.length);
  return Buffer.from(
    `${text.slice(0, begin)}\n"objects":[\n${objects.join(',\n')}\n],"crc32":"00000000"}\n`,
  );
}

/** The texts of the elements of a list, from behind its bracket on. */
function elementsOf(text: string, from: number): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if ('[{'.includes(character)) depth++;
    else if (depth === 0 && ',]'.includes(character)) {
      if (at > start) elements.push(text.slice(start, at));
      start = at + 1;
      if (character === ']') break;
    } else if (']}'.includes(character)) depth--;
  }
  return elements;
}

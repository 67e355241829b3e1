// A saved snapshot and the same objects as NDJSON: what reading, asking and saving cost beside unpacking alone.
//   node bench/large-snapshot.ts [--objects 1000000] [--facts]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { crc32, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { fromFiles } from '../src/files/from-files.ts';
import { encodeSnapshot } from '../src/files/saved-snapshot.ts';
import { builtInTypes } from '../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../src/kube/object-record.ts';
import { objectOf, recordOf } from '../src/kube/record-codec.ts';
import { groupResourceOf } from '../src/kube/resource-type.ts';
import { ResourceTypes } from '../src/kube/resource-types.ts';
import { orphansReport } from '../src/questions/orphans/document.ts';
import { inSmallHeap } from '../src/shell/input/in-small-heap.ts';
import { buildGraph } from '../src/snapshot/graph/graph.ts';
import { inOrder } from '../src/snapshot/snapshot.ts';
import { busyCluster } from './loaded-cluster.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    facts: { type: 'boolean', default: false },
    step: { type: 'string' },
    file: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});
const { file, facts } = values;
const objects = Number(values.objects);

const steps: Record<string, () => Promise<unknown>> = {
  make,
  unpack: () =>
    pipeline(createReadStream(file), createZstdDecompress({ chunkSize: 256 * 1024 }), nothing()),
  load: read,
  orphans: async () => {
    const snapshot = inOrder(await read());
    return orphansReport(buildGraph(snapshot)).items.length;
  },
  save: async () => {
    const snapshot = await read();
    const start = performance.now();
    await pipeline(Readable.from(encodeSnapshot(snapshot, crc32)), createZstdCompress(), nothing());
    return `${((performance.now() - start) / 1000).toFixed(2)} s of it saving`;
  },
};

if (values.step) await runStep(values.step);
else await all();

async function all(): Promise<void> {
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'large-snapshot-'));
  const saved = join(folder, 'saved.json.zst');
  const lines = join(folder, 'objects.ndjson');
  try {
    await step('make', join(folder, 'saved'));
    for (const path of [saved, lines]) {
      console.log(`${path}: ${(statSync(path).size / 1e6).toFixed(0)} MB`);
    }
    const unpacking = await step('unpack', saved);
    const loading = await step('load', saved);
    console.log(`loading : unpacking = ${(loading / unpacking).toFixed(2)}`);
    await step('orphans', saved);
    await step('save', saved);
    await step('load', lines);
    await step('orphans', lines);
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true });
  }
}

/** One step in a process of its own: its time without the start of Node. */
async function step(name: string, path: string): Promise<number> {
  const argv = ['--expose-gc', import.meta.filename, '--step', name, '--file', path];
  if (facts) argv.push('--facts');
  const child = spawn(process.execPath, [...argv, '--objects', String(objects)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  const { seconds, cpu, peak, result } = JSON.parse(printed);
  const columns = [
    name.padEnd(8),
    (path.split('.').pop() ?? '').padEnd(7),
    `${seconds.toFixed(2)} s`.padEnd(10),
    `CPU ${cpu.toFixed(2)} s`.padEnd(12),
    `peak ${peak.toFixed(0)} MB`.padEnd(14),
  ];
  console.log(columns.join(' '), result ?? '');
  return seconds;
}

async function runStep(name: string): Promise<void> {
  const start = performance.now();
  const before = process.cpuUsage();
  const answer = await steps[name]?.();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const peak = (process.resourceUsage().maxRSS * 1024) / 1e6;
  const result = typeof answer === 'object' && name === 'load' ? heapOf(answer) : answer;
  console.log(JSON.stringify({ seconds, cpu: (user + system) / 1e6, peak, result }));
}

/** What stays in memory of each object. */
function heapOf(snapshot: unknown): string {
  const { records } = snapshot as { records: readonly ObjectRecord[] };
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const each = (heapUsed + Math.max(external, arrayBuffers)) / records.length;
  return `${records.length} objects, ${each.toFixed(0)} bytes each`;
}

async function read() {
  return inSmallHeap(() => fromFiles([file], { now: () => new Date(0), complete: true }));
}

function nothing(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Both files, of the objects of a busy cluster. */
async function make(): Promise<void> {
  const types = new ResourceTypes(builtInTypes, { exhaustive: true });
  const records: ObjectRecord[] = [];
  for (const object of busyCluster(objects / 96_400)) {
    const type = types.find(object.apiVersion, object.kind);
    if (!type) throw new Error(object.kind);
    const { managedFields, ...metadata } = object.metadata;
    const resourceVersion = String(1_000_000 + ((records.length * 7919) % 9_999_991));
    const whole = facts ? object : { apiVersion: object.apiVersion, kind: object.kind };
    records.push(recordOf({ ...whole, metadata: { ...metadata, resourceVersion } }, type));
  }
  const read = types.preferred().map((type) => ({ resource: groupResourceOf(type) }));
  const snapshot = inOrder({
    records,
    types,
    coverage: { read, asked: [], problems: [] },
    observedAt: '2026-01-03T00:00:00Z',
    serverVersion: 'v1.36.3',
    origin: { kind: 'cluster', server: 'https://127.0.0.1:6443' },
  });
  function* lines(): Iterable<string> {
    for (const record of snapshot.records) yield `${JSON.stringify(objectOf(record))}\n`;
  }
  const sink = createWriteStream(`${file}.json.zst`);
  await pipeline(Readable.from(encodeSnapshot(snapshot, crc32)), createZstdCompress(), sink);
  const ndjson = createWriteStream(join(file, '..', 'objects.ndjson'));
  await pipeline(Readable.from(lines()), ndjson);
}

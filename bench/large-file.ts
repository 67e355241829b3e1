// Files larger than a string can be: how fast they are read, and in how much memory.
//   node bench/large-file.ts [--objects 100000]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip, createZstdCompress } from 'node:zlib';
import { stringify } from 'yaml';
import { fromFiles } from '../src/files/from-files.ts';
import { largePod } from './large-pod.ts';

const { values } = parseArgs({
  options: { objects: { type: 'string' }, read: { type: 'boolean' } },
});
const objects = Number(values.objects ?? 100_000);
/** Far below what any of these inputs takes. */
const mostMiB = 600;

if (values.read) await readStdin();
else {
  await measure('JSON', jsonList(objects));
  await measure('JSON, gzip', jsonList(objects), createGzip({ level: 1 }));
  await measure('JSON, zstd', jsonList(objects), createZstdCompress());
  await measure('NDJSON', jsonLines(objects));
  // Made before it is read: making it takes much longer.
  await measure('YAML', [...yamlList(objects / 4)]);
}

/** In a process of its own: what it prints is about nothing but the reading. */
async function readStdin(): Promise<void> {
  const snapshot = await fromFiles(['-'], { now: () => new Date(0), stdin: process.stdin });
  const { user, system } = process.cpuUsage();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const records = snapshot.records.length;
  console.log(JSON.stringify({ records, heap, peakMiB, seconds: (user + system) / 1e6 }));
}

async function measure(name: string, text: Iterable<string>, pack?: NodeJS.ReadWriteStream) {
  const argv = ['--expose-gc', import.meta.filename, '--read'];
  const reader = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  reader.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  let bytes = 0;
  // In pieces as large as a pipe takes: kubectl writes all at once.
  function* counted(): Iterable<string> {
    let waiting = '';
    for (const part of text) {
      bytes += part.length;
      waiting += part;
      if (waiting.length < 64 * 1024) continue;
      yield waiting;
      waiting = '';
    }
    yield waiting;
  }
  const source = Readable.from(counted());
  const sink: Writable = reader.stdin;
  await (pack ? pipeline(source, pack, sink) : pipeline(source, sink));
  await once(reader, 'close');
  const { records, heap, peakMiB, seconds } = JSON.parse(printed);
  const megabytes = bytes / 1e6;
  console.log(
    [
      name.padEnd(12),
      `${megabytes.toFixed(0)} MB, ${records} objects`.padEnd(24),
      `${seconds.toFixed(1)} s CPU`.padEnd(12),
      `${(megabytes / seconds).toFixed(0)} MB/s`.padEnd(10),
      `peak ${peakMiB.toFixed(0)} MiB`.padEnd(14),
      `${(heap / records).toFixed(0)} bytes a record`,
    ].join(' '),
  );
  if (peakMiB > mostMiB) throw new Error(`${name} took more than ${mostMiB} MiB`);
}

function* jsonList(count: number): Iterable<string> {
  yield '{\n    "apiVersion": "v1",\n    "items": [\n';
  for (let index = 0; index < count; index++) {
    const text = JSON.stringify(largePod(index), null, 4).replaceAll('\n', '\n        ');
    yield `        ${text}${index + 1 < count ? ',' : ''}\n`;
  }
  yield '    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';
}

function* jsonLines(count: number): Iterable<string> {
  for (let index = 0; index < count; index++) yield `${JSON.stringify(largePod(index))}\n`;
}

function* yamlList(count: number): Iterable<string> {
  yield 'apiVersion: v1\nitems:\n';
  const style = { version: '1.1', indentSeq: false, lineWidth: 0 } as const;
  for (let index = 0; index < count; index++) yield stringify([largePod(index)], style);
  yield 'kind: List\nmetadata:\n  resourceVersion: ""\n';
}

// Answers of many rows: what each form of `-o` takes to print them.
//   node bench/long-answers.ts [--objects 100000] [--rounds 1]
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inTurns, report } from './in-turns.ts';

const { values } = parseArgs({
  options: { objects: { type: 'string' }, rounds: { type: 'string' } },
});
const objects = Number(values.objects ?? 100_000);
const rounds = Number(values.rounds ?? 1);
const bin = join(import.meta.dirname, '..', 'bin', 'kubectl-gc.cjs');

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-bench-'));
try {
  const file = join(folder, 'orphans.ndjson');
  await writeOrphans(file);
  // The last is the one that the others are compared with.
  const commands = ['json', 'yaml', 'table', 'wide', 'name'].map((output) => ({
    name: `-o ${output}`,
    argv: [process.execPath, bin, 'orphans', '-A', '--from', file, '-o', output] as const,
  }));
  report(await inTurns(commands, rounds));
} finally {
  rmSync(folder, { recursive: true });
}

/** Each ConfigMap has a Deployment of its own as owner, which is not in the file. */
async function writeOrphans(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (let index = 0; index < objects; index++) {
    const id = index.toString(16).padStart(12, '0');
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: `web-${index}` };
    const metadata = {
      name: `configmap-number-${index}`,
      namespace: `shop-${index % 50}`,
      uid: `00000000-0000-4000-8000-${id}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      resourceVersion: `${index + 1}`,
      ownerReferences: [{ ...owner, uid: `11111111-0000-4000-8000-${id}` }],
    };
    const line = `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

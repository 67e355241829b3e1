import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { inputSeed } from '../../support/input-seed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Campaign, CampaignResult } from './fuzz-worker.ts';

/**
 * Real files with mutations, for every reader. `KUBECTL_GC_FUZZ_RUNS=3000` tries so many of each. docs/evidence/reliability.md has
 * the figures of a long run.
 */
const runs = Number(process.env.KUBECTL_GC_FUZZ_RUNS ?? 0);
const seed = inputSeed('KUBECTL_GC_FUZZ_SEED');
/** No input takes a second on an idle machine; this is for one that is busy. */
const longest = 120_000;

const folder = temporaryFolder();
const beats = new Int32Array(new SharedArrayBuffer(4));
let worker: Worker;
afterAll(() => worker.terminate());

/**
 * Names the readers. The worker has the stack of a command, and as much memory as the largest of these inputs may take.
 */
function start(): Promise<readonly string[]> {
  worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
    workerData: { folder, beats },
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 1 },
  });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', ({ readers }) => resolve(readers));
  });
}

/** Runs a campaign; a worker that hangs or dies leaves its last input in the folder. */
async function run(campaign: Campaign): Promise<CampaignResult> {
  // What is in the folder when a reader fails is the input of it alone.
  for (const name of inputs()) rmSync(join(folder, name));
  let seen = Atomics.load(beats, 0);
  let since = Date.now();
  let watch: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const failed = (why: string) => reject(new Error(`${why}; seed ${seed}; ${lastInput()}`));
      worker.once('message', resolve);
      worker.once('error', (error) => failed(String(error)));
      worker.postMessage(campaign);
      watch = setInterval(() => {
        const now = Atomics.load(beats, 0);
        if (now !== seen) [seen, since] = [now, Date.now()];
        else if (Date.now() - since > longest) failed(`an input took over ${longest} ms`);
      }, 500);
    });
  } catch (error) {
    await worker.terminate();
    await start();
    throw error;
  } finally {
    clearInterval(watch);
    worker.removeAllListeners('message');
    worker.removeAllListeners('error');
  }
}

function inputs(): string[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => name);
}

function lastInput(): string {
  const shown = inputs().map((name) => {
    return `${name}: ${readFileSync(join(folder, name)).toString('base64').slice(0, 4000)}`;
  });
  return shown.join('\n');
}

test.each(await start())(
  '%s: reads mutated input, or names its fault',
  async (reader) => {
    const result = await run({
      reader,
      seed,
      runs: runs || 400,
      milliseconds: runs ? 3_600_000 : 300,
    });
    if (runs) console.log(JSON.stringify({ ...result, seed }));
    expect(result.failure).toBeUndefined();
    expect(result.runs).toBeGreaterThan(0);
  },
  3_700_000,
);

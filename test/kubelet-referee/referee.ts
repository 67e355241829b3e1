import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ContainerCase, ImageCase } from './generate-cases.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));

export interface ImageOutcome {
  /** Ids, in the order of removal. */
  readonly removed: readonly string[];
  readonly failed: boolean;
  readonly events: readonly string[];
}

export interface ContainerOutcome {
  readonly containers: readonly string[];
  readonly sandboxes: readonly string[];
}

export interface Outcomes {
  readonly images: readonly (readonly ImageOutcome[])[];
  readonly containers: readonly ContainerOutcome[];
  /** Why a kubelet does not start with each configuration. */
  readonly configurations: readonly (readonly string[])[];
}

/** Plays cases through the kubelet's own code; rejects when it cannot be built or run. */
export async function playThroughKubelet(cases: {
  readonly images?: readonly ImageCase[];
  readonly containers?: readonly ContainerCase[];
  /** Files in JSON. */
  readonly configurations?: readonly string[];
}): Promise<Outcomes> {
  const program = await build();
  const scratch = await mkdtemp(join(tmpdir(), 'kubectl-gc-referee-'));
  try {
    const [given, outcomes] = [join(scratch, 'cases.json'), join(scratch, 'outcomes.json')];
    await writeFile(given, JSON.stringify(cases));
    const env = { ...process.env, REFEREE_CASES: given, REFEREE_OUTCOMES: outcomes };
    await run(program, ['-test.timeout=5m'], { cwd: scratch, env });
    return JSON.parse(await readFile(outcomes, 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Builds the referee, or finds it where an earlier run has left it. */
async function build(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of globSync('*.{go,mod,sum}', { cwd: folder }).sort()) {
    hash.update(readFileSync(join(folder, name)));
  }
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const kept = join(cache, 'kubectl-gc', 'kubelet-referee');
  const program = join(kept, `${hash.digest('hex').slice(0, 16)}.test`);
  if (existsSync(program)) return program;
  mkdirSync(kept, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  // The flags of the control plane's build, so that both share what is compiled.
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['test', '-trimpath', '-c', '-o', unfinished, '.'], { cwd: folder, env });
  renameSync(unfinished, program);
  return program;
}

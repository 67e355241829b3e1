import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './instrument.ts';
import { type Job, longestTry, type Note } from './job.ts';

export interface Outcome {
  /** By id of a mutant, the test that detects it. */
  readonly killed: ReadonlyMap<string, string>;
  /** Ids that some test reaches. */
  readonly reached: ReadonlySet<string>;
  /** By id, the files of tests that reach the mutant while they are loaded. */
  readonly loaded: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tests that did not take part, and why. */
  readonly unused: ReadonlyMap<string, string>;
}

/** Runs the tests with the mutants, in a process that is replaced when a mutant has left something behind or does not end. */
export async function campaign(
  tree: string,
  folder: string,
  mutants: readonly Mutant[],
  testFiles: readonly string[],
  /** Milliseconds of processor time: quick tests try all mutants first, and slow ones what is left. */
  limits: readonly number[],
  /** As of performance.now(); may come earlier while the tests run. */
  deadline: { readonly at: number },
): Promise<Outcome> {
  const killed = new Map<string, string>();
  const reached = new Set<string>();
  const loaded = new Map<string, Set<string>>();
  const unused = new Map<string, string>();
  const reach = new Map<string, readonly string[]>();
  const done = new Set<string>();
  const fragile = new Set<string>();
  const living = () => mutants.map(({ id }) => id).filter((id) => !killed.has(id));

  /** What a test costs that was too slow so far, in milliseconds of processor time. */
  const costs = new Map<string, number>();
  let late: string[] | undefined;
  for (const limit of limits) {
    const waiting = late?.filter((test) => (costs.get(test) ?? 0) > limit) ?? [];
    const due = late?.filter((test) => !waiting.includes(test));
    const finished = new Set<string>();
    for (let restarts = 0; restarts < 200 && performance.now() < deadline.at; restarts++) {
      const alive = new Set(living());
      const only = due?.filter(
        (test) => reach.get(test)?.some((id) => alive.has(id)) && !done.has(test),
      );
      const files = only ? [...new Set(only.map(fileOf))] : testFiles;
      const left = files.filter((file) => !finished.has(file));
      if (left.length === 0) break;
      const skipped = [...done, ...unused.keys(), ...waiting];
      const notes = await run(
        tree,
        folder,
        left,
        {
          living: [...alive],
          skipped,
          fragile: [...fragile],
          limit,
          longest: 120_000,
          ...(only && { only }),
        },
        deadline,
      );
      let stopped = false;
      for (const entry of notes) {
        if ('killed' in entry) for (const id of entry.killed) killed.set(id, entry.by);
        else if ('test' in entry) {
          const ids = entry.reached.map(String);
          reach.set(entry.test, ids);
          for (const id of ids) reached.add(id);
        } else if ('done' in entry) {
          done.add(entry.done);
          if (entry.unusable) unused.set(entry.done, entry.unusable);
        } else if ('late' in entry) {
          waiting.push(entry.late);
          costs.set(entry.late, entry.milliseconds);
        } else if ('file' in entry) {
          finished.add(entry.file);
          for (const id of entry.loaded.map(String)) {
            loaded.set(id, (loaded.get(id) ?? new Set()).add(entry.file));
          }
        } else if ('fragile' in entry) fragile.add(entry.fragile);
        else {
          stopped = true;
          console.log(`  starts again: ${entry.stopped}`);
        }
      }
      if (stopped) continue;
      const unfinished = left.filter((file) => !finished.has(file));
      if (unfinished.length > 0) console.log(`  ended before ${unfinished.join(', ')} was through`);
      break;
    }
    console.log(
      `tests up to ${limit} ms: ${killed.size} of ${mutants.length} detected; ${waiting.length} tests take longer`,
    );
    late = waiting;
  }
  const again = living().filter((id) => reached.has(id) && loaded.has(id));
  for (const id of again) {
    if (performance.now() > deadline.at) break;
    const files = [...(loaded.get(id) ?? [])];
    if (await failsOnLoad(tree, files, id)) killed.set(id, `${files.join(', ')}, while loaded`);
  }
  console.log(`${again.length} that files reach while they are loaded: ${killed.size} detected`);
  for (const test of late ?? []) unused.set(test, `takes over ${limits.at(-1)} ms`);
  return { killed, reached, loaded, unused };
}

/** A process of its own: tables of cases are often computed while a file is loaded, which happens once. */
async function failsOnLoad(tree: string, files: readonly string[], id: string): Promise<boolean> {
  const environment = {
    MUTANTS_JOB: undefined,
    MUTANTS_FILES: JSON.stringify(files),
    __STRYKER_ACTIVE_MUTANT__: id,
  };
  const child = startVitest(tree, environment);
  const timer = setTimeout(() => stop(child), 300_000);
  const [status] = await once(child, 'close');
  clearTimeout(timer);
  return status !== 0;
}

function fileOf(title: string): string {
  return title.slice(0, title.indexOf(': '));
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) stop(child);
});

function stop({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function startVitest(tree: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const vitest = join(tree, 'node_modules', 'vitest', 'vitest.mjs');
  const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
  const child = spawn(process.execPath, [vitest, 'run', '--bail', '1', '--config', config], {
    cwd: tree,
    // A group of its own, which ends as a whole.
    detached: true,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** One process of Vitest, to its end or to a mutant that does not end. */
async function run(
  tree: string,
  folder: string,
  files: readonly string[],
  job: Omit<Job, 'notes' | 'beat'>,
  deadline: { readonly at: number },
): Promise<Note[]> {
  const notes = join(folder, 'notes.jsonl');
  const beat = join(folder, 'beat.json');
  const path = join(folder, 'job.json');
  rmSync(notes, { force: true });
  writeFileSync(beat, '');
  writeFileSync(path, JSON.stringify({ ...job, notes, beat }));
  const child = startVitest(tree, { MUTANTS_JOB: path, MUTANTS_FILES: JSON.stringify(files) });
  let ended = false;
  const over = new Promise<void>((resolve) =>
    child.once('exit', () => {
      ended = true;
      resolve();
    }),
  );
  let before = '';
  let same = 0;
  let hung: string | undefined;
  while (!ended) {
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 2000))]);
    if (ended) break;
    const now = readFileSync(beat, 'utf8');
    same = now !== '' && now === before ? same + 1 : 0;
    before = now;
    // As long as a test may take with a mutant, and a while more for a machine that is busy.
    if (same * 2000 > longestTry(job.limit) + 20_000) hung = now;
    if (hung !== undefined || performance.now() > deadline.at) {
      stop(child);
      await over;
    }
  }
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
  const read: Note[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  if (hung !== undefined) {
    const { id, title } = JSON.parse(hung);
    read.push(
      { killed: [id], by: `${title} (it does not end)` },
      { stopped: `mutant ${id} does not end` },
    );
  }
  return read;
}

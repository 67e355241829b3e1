import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { type Job, longestTry, type Note } from './job.ts';

const { setTimeout, clearTimeout } = globalThis;
const job: Job = JSON.parse(readFileSync(process.env.MUTANTS_JOB ?? '', 'utf8'));
const living = new Set(job.living);
const fragile = new Set(job.fragile);
const skipped = new Set(job.skipped);
const only = job.only && new Set(job.only);

/** What Stryker's code in an instrumented file reads and writes. */
interface Switch {
  activeMutant?: string;
  currentTestId?: string;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { static: object; perTest: Record<string, Record<string, number>> };
}
const scope: typeof globalThis & { __stryker__?: Switch } = globalThis;
scope.__stryker__ ??= {};
const mutants = scope.__stryker__;

/** In the place of a test's id: what is reached now belongs to none. */
const around = 'around a test';

function note(entry: Note): void {
  appendFileSync(job.notes, `${JSON.stringify(entry)}\n`);
}

/** With what `onTestFinished` and `onTestFailed` add, which Vitest's types leave out. */
type Test = RunnerTestCase & { onFinished?: unknown[]; onFailed?: unknown[] };

/**
 * Runs each test once as it is, which tells the mutants that it reaches, and then once with each of these
 * that no test has detected. All in one process: a mutant costs a call of the test, not a start of Vitest.
 */
export default class MutantRunner extends TestRunner {
  private stopped = false;
  /** Did any mutant run in this process? It may have left something behind. */
  private mutated = false;

  override async onBeforeRunTask(test: Test): Promise<void> {
    const title = titleOf(test);
    if (skipped.has(title) || (only && !only.has(title))) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    // Else what hooks and later tries reach would count as reached while the file was loaded.
    if (test.mode !== 'skip') mutants.currentTestId = around;
  }

  override onAfterRunTask(test: Test): void {
    delete mutants.currentTestId;
    if (mutants.mutantCoverage !== undefined) mutants.mutantCoverage.perTest = {};
    super.onAfterRunTask(test);
  }

  /**
   * Vitest calls the hooks around a test once: what it has set up before is taken down here, and set up
   * again for what it takes down afterwards, as hooks may fail that are called out of turn.
   */
  async runTask(test: Test): Promise<void> {
    for (const { afterEach } of hooksOf(test)) {
      for (const hook of afterEach) await hook();
    }
    await this.tryMutants(test);
    for (const { beforeEach } of hooksOf(test)) {
      for (const hook of beforeEach) await hook();
    }
  }

  private async tryMutants(test: Test): Promise<void> {
    const title = titleOf(test);
    mutants.currentTestId = test.id;
    const failure = await this.once(test, job.longest);
    const hits = mutants.mutantCoverage?.perTest[test.id] ?? {};
    mutants.currentTestId = around;
    if (failure !== undefined) {
      if (!this.mutated)
        return note({ done: title, unusable: `fails without a mutant: ${failure}` });
      return this.stop(`${title} fails without a mutant: ${failure}`);
    }

    const reached = Object.keys(hits);
    note({ test: title, reached: reached.map(Number) });
    const candidates = reached.filter((id) => living.has(id));
    if (candidates.length === 0) return note({ done: title });
    const again = process.cpuUsage();
    const unrepeatable = await this.once(test, job.longest);
    const { user, system } = process.cpuUsage(again);
    const milliseconds = (user + system) / 1000;
    if (unrepeatable !== undefined) {
      return note({ done: title, unusable: `fails when it is repeated: ${unrepeatable}` });
    }
    if (milliseconds > job.limit) return note({ late: title, milliseconds });

    const killed: string[] = [];
    this.mutated = true;
    for (const id of candidates) {
      writeFileSync(job.beat, JSON.stringify({ id, title }));
      mutants.activeMutant = id;
      mutants.hitCount = 0;
      mutants.hitLimit = 1000 + 100 * (hits[id] ?? 0);
      const detected = await this.once(test, longestTry(milliseconds));
      delete mutants.activeMutant;
      delete mutants.hitCount;
      if (detected === undefined) continue;
      killed.push(id);
      if (fragile.has(title)) {
        living.delete(id);
        note({ killed: [id], by: title });
        if ((await this.once(test, job.longest)) !== undefined)
          return this.stop(`${title} was poisoned`);
      }
    }
    writeFileSync(job.beat, '');
    if (!fragile.has(title) && killed.length > 0) {
      const poisoned = await this.once(test, job.longest);
      if (poisoned !== undefined) {
        note({ fragile: title });
        return this.stop(`${title} fails after its mutants: ${poisoned}`);
      }
      for (const id of killed) living.delete(id);
      note({ killed, by: title });
    }
    note({ done: title });
  }

  /** What made the test fail, if it did; `onTestFinished` and the hooks around a test count to it. */
  private async once(test: Test, milliseconds: number): Promise<string | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took over ${milliseconds} ms`)), milliseconds);
    });
    const cleanups: unknown[] = [];
    let failure: string | undefined;
    try {
      this.onBeforeTryTask(test, { retry: 0, repeats: 0 });
      await Promise.race([this.body(test, cleanups), late]);
      this.onAfterTryTask(test);
      if (test.result?.state === 'fail') throw new Error(test.result.errors?.[0]?.message);
    } catch (error) {
      failure = String(error instanceof Error ? error.message : error).slice(0, 300);
    }
    clearTimeout(timer);
    if (test.result) {
      test.result.state = 'run';
      delete test.result.errors;
    }
    test.promises = [];
    const finished = test.onFinished ?? [];
    delete test.onFinished;
    delete test.onFailed;
    for (const clean of [...cleanups, ...finished].reverse()) {
      try {
        if (typeof clean === 'function') await clean(test.context);
      } catch (error) {
        failure ??= String(error);
      }
    }
    return failure;
  }

  private async body(test: Test, cleanups: unknown[]): Promise<void> {
    for (const { beforeEach, afterEach } of hooksOf(test)) {
      for (const hook of beforeEach) cleanups.push(await hook());
      cleanups.push(...afterEach);
    }
    await TestRunner.getTestFn(test)();
    const results = await Promise.allSettled(test.promises ?? []);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  override onCollectStart(file: Parameters<TestRunner['onCollectStart']>[0]): void {
    // The object stays: instrumented files hold on to it.
    mutants.mutantCoverage ??= { static: {}, perTest: {} };
    mutants.mutantCoverage.static = {};
    super.onCollectStart(file);
  }

  override async onAfterRunSuite(
    suite: Parameters<TestRunner['onAfterRunSuite']>[0],
  ): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (!('filepath' in suite) || this.stopped) return;
    // What was reached outside of tests: while the file was loaded, and in beforeAll.
    const loaded = Object.keys(mutants.mutantCoverage?.static ?? {}).map(Number);
    note({ file: suite.name, loaded });
  }

  private stop(why: string): void {
    note({ stopped: why });
    this.stopped = true;
    this.cancel('test-failure');
  }
}

/** The hooks around a test, from the outermost suite on. */
function hooksOf(test: Test) {
  const suites = [];
  for (let suite = test.suite ?? test.file; suite; suite = suite.suite ?? suite.file) {
    suites.unshift(suite);
    if (suite === test.file) break;
  }
  return suites.map((suite) => {
    const { beforeEach, afterEach } = TestRunner.getSuiteHooks(suite);
    return {
      beforeEach: beforeEach.map((hook) => () => hook(test.context, suite)),
      afterEach: afterEach.map((hook) => () => hook(test.context, suite)),
    };
  });
}

function titleOf(test: Test): string {
  const names = [test.name];
  for (let suite = test.suite; suite; suite = suite.suite) names.unshift(suite.name);
  return `${test.file.name}: ${names.join(' > ')}`;
}

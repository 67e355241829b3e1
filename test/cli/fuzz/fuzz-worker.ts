import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { isGcError } from '../../../src/errors.ts';
import { clusterReaders } from './cluster-readers.ts';
import { documentReaders } from './document-readers.ts';
import { anyMutations, mutated } from './mutations.ts';
import type { Ending, Reader } from './reader.ts';
import { wireReaders } from './wire-readers.ts';

/** What the test asks for, and what it hears. */
export interface Campaign {
  readonly reader: string;
  readonly runs: number;
  readonly seed: number;
  readonly milliseconds: number;
}

export interface CampaignResult {
  readonly reader: string;
  readonly runs: number;
  /** Read whole, read and told to be incomplete, refused. */
  readonly ends: Readonly<Record<Ending | 'refused', number>>;
  readonly slowest: number;
  readonly slowestInput: string;
  /** The input that failed, as fast-check tells it. */
  readonly failure?: string;
}

/** What the worker shares with the test: the number of the input that is being read, to see one that hangs. */
const { folder, beats } = workerData as { readonly folder: string; readonly beats: Int32Array };

const prototypeKeys = Reflect.ownKeys(Object.prototype).length;

/** Nothing that was read may become part of every object. */
function checkPrototype(): void {
  const isChanged = Reflect.ownKeys(Object.prototype).length !== prototypeKeys;
  if (isChanged || 'polluted' in {}) throw new Error('Object.prototype was changed');
}

async function endOf(reader: Reader, path: string, question: number): Promise<Ending | 'refused'> {
  try {
    return (await reader.read(path, question)) ?? 'whole';
  } catch (error) {
    if (!isGcError(error)) throw error;
    const { message, exitCode } = error;
    if (exitCode !== 2 && exitCode !== 3) throw new Error(`exit code ${exitCode}: ${message}`);
    const isNamed = message.includes(basename(path)) || reader.names?.test(message);
    if (!isNamed) throw new Error(`no place in: ${message}`);
    if (/\b(undefined|NaN)\b|\[object \w+\]/.test(message))
      throw new Error(`odd message: ${message}`);
    return 'refused';
  }
}

function failureOf<T>(result: fc.RunDetails<T>): string {
  const { seed, counterexamplePath, counterexample, errorInstance } = result;
  const stack = errorInstance instanceof Error ? errorInstance.stack : String(errorInstance);
  const shown = (stack ?? '').split('\n').slice(0, 8).join('\n').slice(0, 2000);
  return `seed ${seed}, path ${counterexamplePath}: ${JSON.stringify(counterexample)}\n${shown}`;
}

async function campaign(reader: Reader, { runs, seed, milliseconds }: Campaign) {
  const ends = { whole: 0, incomplete: 0, refused: 0 };
  let slowest = 0;
  let slowestInput = '';
  let done = 0;
  const path = join(folder, reader.file);
  const inputs = fc.record({
    example: fc.nat({ max: reader.examples.length - 1 }),
    question: fc.nat({ max: 999 }),
    mutations: anyMutations(reader.syntax),
  });
  const property = fc.asyncProperty(inputs, async ({ example, question, mutations }) => {
    const given = reader.examples[example] ?? Buffer.alloc(0);
    const changed = mutated(given, mutations, reader.examples);
    const bytes = reader.finish?.(changed) ?? changed;
    writeFileSync(path, bytes);
    Atomics.add(beats, 0, 1);
    const began = performance.now();
    const end = await endOf(reader, path, question);
    const took = performance.now() - began;
    if (took > slowest) {
      slowest = took;
      slowestInput = JSON.stringify({ example, question, mutations });
    }
    done++;
    ends[end]++;
    checkPrototype();
    // Mutations may undo each other, or make another example.
    const isDamaged = !reader.examples.some((one) => one.equals(changed));
    if (end === 'whole' && isDamaged && reader.mustTell?.(given, bytes)) {
      throw new Error('unreported loss of input');
    }
  });
  const result = await fc.check(property, {
    seed,
    numRuns: runs,
    interruptAfterTimeLimit: milliseconds,
    markInterruptAsFailure: false,
  });
  const failure = result.failed ? failureOf(result) : undefined;
  return {
    reader: reader.name,
    runs: done,
    ends,
    slowest: Math.round(slowest),
    slowestInput,
    ...(failure && { failure }),
  };
}

const readers = [...wireReaders(), ...(await documentReaders(folder)), ...(await clusterReaders())];
parentPort?.on('message', async (wanted: Campaign) => {
  const reader = readers.find(({ name }) => name === wanted.reader);
  const answer = reader
    ? await campaign(reader, wanted).catch((error) => ({
        reader: wanted.reader,
        failure: String(error),
      }))
    : { reader: wanted.reader, failure: 'no such reader' };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage({ readers: readers.map(({ name }) => name) });

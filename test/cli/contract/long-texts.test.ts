import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import type { FromFilesOptions } from '../../../src/files/from-files.ts';
import { InputContents } from '../../../src/files/input-contents.ts';
import { readContents } from '../../../src/files/read-input.ts';
import { snapshotOfContents } from '../../../src/files/snapshot-of-contents.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { answerAboutOthers, fileBeside, linesAbout } from '../../support/answers-about-others.ts';
import { freshSeed } from '../../support/fresh-seed.ts';
import { allKinds, isText, objectsWithOneText, oddObjects } from '../../support/odd-objects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * Every text of every kind, repeated 100,000 times: each command ends, says the same of other objects, and takes for it at
 * most 2.5 times the time of half as much. `KUBECTL_GC_LONG_TEXTS=all` tries all characters in all kinds, which takes half an
 * hour, `KUBECTL_GC_LONG_TEXTS=:` that one, and `KUBECTL_GC_LONG_TEXTS=today` another one each day; else one character is
 * tried in one kind, others in each run.
 */

type Listener = NonNullable<FromFilesOptions['onObject']>;
interface FileContent {
  readonly contents: InputContents;
  readonly objects: readonly Parameters<Listener>[];
}

/** What stands in each file, and the processor time that all reading has taken, in milliseconds. */
const reading = vi.hoisted(() => ({ files: new Map<string, FileContent>(), took: 0 }));

/** Processor time since then, in milliseconds. */
const since = vi.hoisted(() => (began: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
});

/**
 * Most of the time of a line passes with reading, and all lines read the same: a file is read once for all of them. This
 * replaces a module, so that this test is none of those that share modules.
 */
vi.mock('../../../src/files/from-files.ts', () => {
  const read = async (path: string): Promise<FileContent> => {
    const began = process.cpuUsage();
    const objects: Parameters<Listener>[] = [];
    const contents = new InputContents(builtInTypes, (...object) => objects.push(object));
    await readContents({ path }, contents);
    reading.took += since(began);
    return { contents, objects };
  };
  const fromFiles = async ([path]: readonly [string], options: FromFilesOptions) => {
    const { contents, objects } = reading.files.get(path) ?? (await read(path));
    reading.files.set(path, { contents, objects });
    for (const object of objects) options.onObject?.(...object);
    return snapshotOfContents(contents, [path], options);
  };
  return { fromFiles };
});

const folder = temporaryFolder();
const file = join(folder, 'long.json');
type Line = readonly string[];
/** The line that does nothing but read comes first, so that the others need not read that again. */
const isReader = (line: Line) => line.join(' ').startsWith('snapshot info');
const lines = linesAbout(file, folder).sort((a, b) => Number(isReader(b)) - Number(isReader(a)));
const length = 100_000;

/** Characters that patterns of ours name, or that end a line. */
const all = [':', '/', ' ', '\n', '=', '"', '.', '-', '(', '[', ',', 'a', '0'];
const { KUBECTL_GC_LONG_TEXTS: asked = '' } = process.env;
const day = Math.floor(Date.now() / 86_400_000);
const chosen = all.filter(
  (char, at) => asked === 'all' || asked === char || (asked === 'today' && at === day % all.length),
);
const characters = chosen.length > 0 ? chosen : [all[freshSeed % all.length] ?? expect.fail()];
/** Texts of all kinds together would fill the memory. */
const parts: (readonly string[])[] =
  chosen.length > 0
    ? Array.from({ length: Math.ceil(allKinds.length / 6) }, (_, at) =>
        allKinds.slice(6 * at, 6 * at + 6),
      )
    : [[allKinds[freshSeed % allKinds.length] ?? expect.fail()]];

/** Of each kind, an object that has the text in every field, or one for each field that has it in no other. */
const objectsWith = {
  'every text': (kind: string, text: string) => oddObjects(kind, isText, text).slice(0, 1),
  'each text alone': objectsWithOneText,
};

/** What the file contains: these kinds, with this character. */
interface Texts {
  readonly kinds: readonly string[];
  readonly char: string;
  readonly which: keyof typeof objectsWith;
}

function write({ kinds, char, which }: Texts, times: number): void {
  reading.files.delete(file);
  fileBeside(
    file,
    kinds.flatMap((kind) => objectsWith[which](kind, char.repeat(times))),
  );
}

/** The processor time that a line takes, in milliseconds, and what it says of other objects. That of reading counts for one line. */
async function timed(line: Line): Promise<readonly [took: number, said: unknown]> {
  const { took } = reading;
  const began = process.cpuUsage();
  const said = await answerAboutOthers(line);
  const read = isReader(line) ? 0 : reading.took - took;
  return [since(began) - read, said];
}

/** What may be chance in the processor time of one answer, in milliseconds. */
const noise = 200;

/**
 * The least time that the line takes with twice and with four times the text. One garbage collection of this process can take
 * as long as 100,000 characters; what grows with the square of 400,000 characters takes seconds.
 */
async function leastOf(line: Line, texts: Texts): Promise<number[]> {
  const least = [Infinity, Infinity];
  for (let attempt = 0; attempt < 3; attempt++) {
    for (const [at, times] of [2 * length, 4 * length].entries()) {
      write(texts, times);
      const [took] = await timed(line);
      least[at] = Math.min(least[at] ?? took, took);
    }
  }
  return least;
}

const isSlow = (whole: number, half: number) => whole > 2.5 * half + noise;

fileBeside(file, []);
const usual = new Map<Line, unknown>();
for (const line of lines) usual.set(line, await answerAboutOthers(line));

/** How long each line takes with texts of this length; it has to say what it says without them. */
async function timesOf(
  some: readonly Line[],
  texts: Texts,
  times: number,
): Promise<Map<Line, number>> {
  write(texts, times);
  const took = new Map<Line, number>();
  for (const line of some) {
    const [milliseconds, said] = await timed(line);
    // A difference of such texts is too long to print.
    if (!isDeepStrictEqual(said, usual.get(line)))
      expect.fail(`${line}: ${JSON.stringify(said).slice(0, 2000)}`);
    took.set(line, milliseconds);
  }
  return took;
}

describe(`a long text slows no command, and changes no other answer (seed ${freshSeed}):`, () => {
  const cases = characters.flatMap((char) =>
    (['each text alone', 'every text'] as const).flatMap((which) =>
      parts.map((kinds) => ({ kinds, char, which })),
    ),
  );
  test.each(cases)(
    '100,000 times $char in $which of $kinds',
    { timeout: 1_200_000 },
    async (texts) => {
      const took = await timesOf(lines, texts, length);
      // A shorter time is slow beside no other.
      const long = lines.filter((line) => isSlow(took.get(line) ?? 0, 0));
      const half = await timesOf(long, texts, length / 2);
      const slow: unknown[] = [];
      for (const line of long) {
        if (!isSlow(took.get(line) ?? 0, half.get(line) ?? 0)) continue;
        const [twice = 0, fourTimes = 0] = await leastOf(line, texts);
        if (isSlow(fourTimes, twice)) slow.push([line, twice, fourTimes]);
      }
      expect(slow).toEqual([]);
    },
  );
});

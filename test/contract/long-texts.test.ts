import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { answerAboutOthers, fileBeside, linesAbout } from '../support/answers-about-others.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { allKinds, isText, objectsWithOneText, oddObjects } from '../support/odd-objects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Every text of every kind, repeated 100,000 times: each command ends, says the same of other objects, and takes for it at
 * most 2.5 times the time of half as much. `KUBECTL_GC_LONG_TEXTS=all` tries all characters in all kinds, which takes hours,
 * `KUBECTL_GC_LONG_TEXTS=:` that one, and `KUBECTL_GC_LONG_TEXTS=today` another one each day; else one character is tried in
 * one kind, others in each run.
 */
const folder = temporaryFolder();
const file = join(folder, 'long.json');
const lines = linesAbout(file, folder);
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
type Which = keyof typeof objectsWith;

/** What a file contains: these kinds, with this character. */
interface Content {
  readonly kinds: readonly string[];
  readonly char: string;
  readonly which: Which;
}

const write = ({ kinds, char, which }: Content, times: number) =>
  fileBeside(
    file,
    kinds.flatMap((kind) => objectsWith[which](kind, char.repeat(times))),
  );

/** The processor time that an answer takes, in milliseconds, and what it says of other objects. */
async function timed(line: readonly string[]): Promise<readonly [took: number, said: unknown]> {
  const began = process.cpuUsage();
  const said = await answerAboutOthers(line);
  const { user, system } = process.cpuUsage(began);
  return [(user + system) / 1000, said];
}

/** What may be chance in the processor time of one answer, in milliseconds. */
const noise = 200;

/**
 * The least time that the line takes with twice and with four times the text. One garbage collection of this process can take
 * as long as 100,000 characters; what grows with the square of 400,000 characters takes seconds.
 */
async function leastOf(line: readonly string[], content: Content): Promise<number[]> {
  const least = [Infinity, Infinity];
  for (let attempt = 0; attempt < 3; attempt++) {
    for (const [at, times] of [2 * length, 4 * length].entries()) {
      write(content, times);
      const [took] = await timed(line);
      least[at] = Math.min(least[at] ?? took, took);
    }
  }
  return least;
}

const isSlow = ([half = 0, whole = 0]: readonly number[]) => whole > 2.5 * half + noise;

fileBeside(file, []);
const usual: unknown[] = [];
for (const line of lines) usual.push(await answerAboutOthers(line));

describe(`a long text slows no command, and changes no other answer (seed ${freshSeed}):`, () => {
  const cases = characters.flatMap((char) =>
    (['each text alone', 'every text'] as const).flatMap((which) =>
      parts.map((kinds) => ({ kinds, char, which })),
    ),
  );
  test.each(cases)(
    '100,000 times $char in $which of $kinds',
    { timeout: 1_200_000 },
    async (content) => {
      const took: number[][] = lines.map(() => []);
      for (const times of [length / 2, length]) {
        write(content, times);
        for (const [at, line] of lines.entries()) {
          const [milliseconds, said] = await timed(line);
          // A difference of such texts is too long to print.
          if (!isDeepStrictEqual(said, usual[at]))
            expect.fail(`${line}: ${JSON.stringify(said).slice(0, 2000)}`);
          took[at]?.push(milliseconds);
        }
      }
      const slow: unknown[] = [];
      for (const [at, line] of lines.entries()) {
        if (!isSlow(took[at] ?? [])) continue;
        const least = await leastOf(line, content);
        if (isSlow(least)) slow.push([line, least]);
      }
      expect(slow).toEqual([]);
    },
  );
});

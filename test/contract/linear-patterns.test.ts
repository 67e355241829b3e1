import { describe, expect, test, vi } from 'vitest';
import { sourceFiles } from '../support/architecture/source-files.ts';
import { parseModule, walk } from '../support/architecture/syntax.ts';
import { CountedPattern, TooManySteps } from '../support/regex-steps.ts';

/** So often is a character repeated; twice as often may take 2.5 times the steps. */
const length = 150;

/** A text on which the pattern takes more than 2.5 times the steps once a part of it is twice as long. */
function slowTextOf(pattern: RegExp): string | undefined {
  const counted = new CountedPattern(pattern);
  const { characters, prefixes } = counted;
  const stepsOn = (text: string) => {
    try {
      return counted.stepsOn(text);
    } catch (error) {
      if (error instanceof TooManySteps) return Infinity;
      throw error;
    }
  };
  for (const prefix of prefixes) {
    for (const pump of characters) {
      for (const suffix of ['', ...characters]) {
        const [once, twice] = [1, 2].map((times) =>
          stepsOn(prefix + pump.repeat(times * length) + suffix),
        );
        if (once === Infinity || (twice as number) > 2.5 * (once as number) + 200) {
          return `${JSON.stringify(prefix)} ${JSON.stringify(pump)}… ${JSON.stringify(suffix)}: ${once}, ${twice}`;
        }
      }
    }
  }
  return undefined;
}

const files = sourceFiles('src');
const literals = [...files].flatMap(([path, text]) => {
  const found: (readonly [string, RegExp])[] = [];
  walk(parseModule(path, text), (node) => {
    const regex = node.regex as { readonly pattern: string; readonly flags: string } | undefined;
    if (regex) found.push([path, new RegExp(regex.pattern, regex.flags)]);
  });
  return found;
});

describe('twice the text takes no pattern more than 2.5 times the steps', () => {
  test('of those that stand in the code', () => {
    const slow = literals.flatMap(([path, pattern]) => {
      const text = slowTextOf(pattern);
      return text === undefined ? [] : [`${path}: ${pattern} on ${text}`];
    });
    expect(slow).toEqual([]);
  });

  test('of those that are made while a module is loaded', async () => {
    const made: RegExp[] = [];
    class Recorded extends RegExp {
      constructor(source: string | RegExp, flags?: string) {
        super(source, flags);
        made.push(this);
      }
    }
    vi.stubGlobal('RegExp', Recorded);
    const makers = [...files].filter(([, text]) => text.includes('= new RegExp('));
    // The query loads a module once more.
    for (const [path] of makers) await import(/* @vite-ignore */ `../../${path}?recorded`);
    vi.unstubAllGlobals();
    const patterns = new Map(made.map((pattern) => [`${pattern}`, pattern]));
    expect(patterns.size).toBeGreaterThan(makers.length);
    const slow = [...patterns.values()].filter((one) => slowTextOf(one) !== undefined);
    expect(slow.map((one) => `${one} on ${slowTextOf(one)}`)).toEqual([]);
  });

  test('the count finds patterns that are known to be slow', () => {
    const slow = [/:[^/]*$/, /\n*$/, /(a+)+$/, /^\s*x\s*\s*$/, /(\w+)\s*=\s*(\w+),/, /a.*b/g];
    expect(slow.filter((pattern) => slowTextOf(pattern) === undefined)).toEqual([]);
    const quick = [/^a*b$/, /"[^"]*"/y, /[a-z]+/g, /(?<!\w)x/];
    expect(quick.filter((pattern) => slowTextOf(pattern) !== undefined)).toEqual([]);
  });
});

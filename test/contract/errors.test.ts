import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url);

/** After these nothing is to be done: the user ended it, no user wrote the path, or the advice stands elsewhere. */
const withoutAdvice = [
  /code: 'cancelled'/,
  /code: invalidPath/,
  /message, \{ code, cause: error \}/,
  /on port .*, more$/,
];

/** The arguments of every error that is made in a text, and whether they say what to do. */
function errorsIn(text: string): { readonly written: string; readonly advises: boolean }[] {
  return [...text.matchAll(/(?<!function )\b(usageError|new GcError)\(/g)].map((call) => {
    const from = call.index + call[0].length;
    const parts = partsUpToBracket(text.slice(from));
    const [, second = ''] = parts;
    const advises = call[1] === 'usageError' ? second !== '' : /suggestions/.test(second);
    return { written: parts.join(', '), advises };
  });
}

/** The parts between the commas of the outermost bracket that a text ends, without line breaks. */
function partsUpToBracket(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [sign] of text.matchAll(/'(?:\\.|[^'\\])*'|"[^"]*"|`[^`]*`|[\s\S]/g)) {
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth < 0) break;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.replaceAll(/\s+/g, ' ').trim()).filter((part) => part !== '');
}

test('every error says what can be done', () => {
  const errors = globSync('src/**/*.ts', { cwd: root })
    .sort()
    .flatMap((path) => errorsIn(readFileSync(new URL(path, root), 'utf8')));
  expect(errors.length).toBeGreaterThan(200);
  const silent = errors.filter(
    ({ written, advises }) => !advises && !withoutAdvice.some((code) => code.test(written)),
  );
  expect(silent.map(({ written }) => written)).toEqual([]);
});

test('errors without advice are found', () => {
  const text =
    "throw usageError('a, (b'); throw usageError(b(c, d)); new GcError('x', { code, suggestions: ['y'] });";
  expect(errorsIn(text).map(({ advises }) => advises)).toEqual([false, false, true]);
});

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

/** Behind the fact stands why: `no owner: it was deleted`, `a; b`, `a, so b`. What a caller puts in says it, too. */
const why =
  /[:;]|, (?:and|as|but|so|which|because) | (?:and|as|because) |Must be|\$\{(?:because|fault|refused|why)\b/;
/** kubectl's own words, which scripts look for. */
const wordsOfKubectl = [
  /^'(?:at least one resource|name cannot be provided|you must specify|You must provide|a resource cannot)/,
  /^'--raw can only use/,
  /^`(?:unknown (?:command|flag)|invalid argument|unable to match|the namespace from the provided)/,
  /^`\$\{counted\(size, 'warning'\)\} received/,
  /\bnot found\b/,
];
/** The fact is the reason: a value of another form than the flag has, a thing that is not there, what the user did. */
const plainFacts = [
  / is not (?:a|an) (?:address|duration|time)`$/,
  / (?:is not the name of a node|names no object|is empty|must not be negative|means nothing to)/,
  / is (?:before now|more than a hundred years|only for an audit|about the whole cluster)/,
  /^[`'](?:You must name|there is no (?:step|such page|\$\{apiVersion)|no (?:command|file or folder)|it is unknown whether)/,
  /^[`'](?:the request was cancelled|interrupted'|the controllers were stopped|standard input)/,
  / (?:does not exist|already exists|exists|only metadata was read|did not answer|could not be fixed)\b/,
  /^`(?:nothing was saved of|the backup contains|the index of the backup)/,
];

/** The arguments of every error that is made in a text, its message, and whether they say what to do. */
function errorsIn(
  text: string,
): { readonly written: string; readonly message: string; readonly advises: boolean }[] {
  return [...text.matchAll(/(?<!function )\b(usageError|new GcError)\(/g)].map((call) => {
    const from = call.index + call[0].length;
    const parts = partsUpToBracket(text.slice(from));
    const [message = '', second = ''] = parts;
    const advises = call[1] === 'usageError' ? second !== '' : /suggestions/.test(second);
    return { written: parts.join(', '), message, advises };
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

const errors = globSync('src/**/*.ts', { cwd: root })
  .sort()
  .flatMap((path) => errorsIn(readFileSync(new URL(path, root), 'utf8')));

test('every error says why, unless the fact is the reason or the words are those of kubectl', () => {
  const silent = errors.filter(
    ({ message }) =>
      /^['`]/.test(message) &&
      ![why, ...wordsOfKubectl, ...plainFacts].some((form) => form.test(message)),
  );
  expect(silent.map(({ message }) => message)).toEqual([]);
});

test('every error says what can be done', () => {
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

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { type CommandManifest, describeCommands } from '../../src/shell/oclif/manifest.ts';

const manifest = await describeCommands();

test('a change of commands, flags, aliases and defaults shows', async () => {
  const text = manifest.map(contractOf).join('\n');
  await expect(text).toMatchFileSnapshot('../fixtures/expected/command-line.txt');
});

function contractOf({ id, aliases, args, flags, strict }: CommandManifest): string {
  const names = [id.replace(':', ' '), ...aliases].join(', ');
  const lines = Object.values(flags)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => {
      const details = [
        flag.type === 'option' ? (flag.helpValue ?? 'value') : 'boolean',
        ...(flag.type === 'option' && flag.multiple ? ['repeatable'] : []),
        ...('default' in flag && flag.default !== undefined ? [`default ${flag.default}`] : []),
        ...(flag.required ? ['required'] : []),
        ...(flag.hidden ? ['hidden'] : []),
        ...(flag.dependsOn ? [`with ${flag.dependsOn.map((name) => `--${name}`).join(' ')}`] : []),
        ...(flag.relationships ?? []).map(
          ({ type, flags: others }) =>
            `with ${type} of ${others.map((name) => `--${name}`).join(' ')}`,
        ),
        ...(flag.aliases ?? []).map((alias) => `also --${alias}`),
      ];
      const char = flag.char === undefined ? '' : `-${flag.char} `;
      return `  ${char}--${flag.name}: ${details.join(', ')}\n`;
    });
  const takes = strict === false ? 'arguments' : Object.keys(args).join(' ');
  return `${names}${takes === '' ? '' : ` [${takes}]`}\n${lines.join('')}`;
}

test('flags with one letter mean the same in every command', () => {
  const meanings = new Map<string, Set<string>>();
  for (const { flags } of manifest) {
    for (const { char, name } of Object.values(flags)) {
      if (char !== undefined) meanings.set(char, (meanings.get(char) ?? new Set()).add(name));
    }
  }
  expect([...meanings].filter(([, names]) => names.size > 1)).toEqual([]);
});

/** A question, a pronoun or a conjunction; of a flag, the value or the effect is named. */
const noNounPhrase =
  /^(?:what|how|where|when|why|who|which|whether|would|and|not|it|they)\b|[?.!]$/i;

test('the summary of a flag names its value or its effect, and is no question or sentence', () => {
  const summaries = manifest.flatMap(({ id, flags }) =>
    Object.values(flags).map(({ name, summary = '' }) => `${id} --${name}: ${summary}`),
  );
  const wrong = summaries.filter((line) => {
    const summary = line.replace(/^[^ ]+ --[^ ]+: (?:with --?[\w-]+(?: \S+)?: )?/, '');
    return (
      summary === '' || /^[A-Z](?![A-Z])(?!\w+[A-Z])/.test(summary) || noNounPhrase.test(summary)
    );
  });
  expect([...new Set(wrong)]).toEqual([]);
});

/** Of commands whose documents have other names than they have. */
const ownDocuments: Readonly<Record<string, readonly string[]>> = {
  deleted: ['deletion-chain', 'deletions'],
  delete: ['plan', 'deletion-comparison', 'progress-event', 'backup'],
  // Of several clusters: the same for audit, why -A and forecast.
  orphans: ['orphans', 'fleet'],
  // They print Kubernetes' own.
  policies: [],
  rbac: [],
};

test('every document has a schema, every schema a command, every command a page', () => {
  const commands = manifest.map(({ id }) => id);
  const printing = manifest.filter(({ flags }) => flags.output !== undefined).map(({ id }) => id);
  const schemas = readdirSync('schemas').filter((name) => name !== 'common.json');
  const documents = printing.flatMap((id) => ownDocuments[id] ?? [id.replace(':', '-')]);
  const read = ['guard-rules'];
  expect(schemas.sort()).toEqual([...documents, ...read].map((name) => `${name}.json`).sort());
  const pages = readdirSync('docs/commands').map((name) => name.replace('.md', ''));
  expect(pages.sort()).toEqual([...new Set(commands.map((id) => id.replace(/:.*/, '')))].sort());
});

test('the README lists the exit codes that commands can have, and no other', () => {
  const readme = readFileSync('README.md', 'utf8');
  const table = /\| exit code \|.*\n\| --- .*\n((?:\|.*\n)+)/.exec(readme)?.[1] ?? '';
  const listed = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(usedCodes());
});

/** Codes of errors.ts that the program refers to; every run may end well, fail or be interrupted. */
function usedCodes(): number[] {
  const sources = globSync('src/**/*.ts', { exclude: ['src/errors.ts'] });
  const named = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bexitCodes\.(\w+)/g)].map(([, name]) => name ?? ''),
  );
  const used = new Set([...named, 'ok', 'usage', 'failed', 'interrupted']);
  return Object.entries(exitCodes).flatMap(([name, code]) => (used.has(name) ? [code] : []));
}

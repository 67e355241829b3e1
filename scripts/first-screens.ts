// `node scripts/first-screens.ts`: docs/evidence/first-screens.md, from the screens that test/cli/terminal.test.ts writes.
// `--before COMMIT` measures the screens of that commit, too; else the figures before stay as they stand in the page.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { screens } from '../test/support/screens.ts';

const folder = 'test/fixtures/screens';
const width = 80;
const rows = 24;

/** Flags and files that say what is read. */
const inputs =
  / --(?:from|now|audit-log|before|after|settings|fail-on) \S+| --complete| examples\/\S+/g;

/** The page, from the screens as they are and the figures before, by the name of a screen. */
export function firstScreensPage(
  root: string,
  before: ReadonlyMap<string, string> = figuresBefore(root),
): string {
  const lines = Object.entries(screens).map(([name, command]) => {
    const now = figuresOf(readFileSync(`${root}${folder}/${name}-${width}.txt`, 'utf8'));
    const screen = `[${name}](../../${folder}/${name}-${width}.txt)`;
    const figures = `${before.get(name) ?? '– | – | –'} | ${now}`;
    return `| \`${command.replaceAll(inputs, '')}\` (${screen}) | ${figures} |`;
  });
  return `${head}${lines.join('\n')}\n`;
}

/** Lines, names that are broken in their middle, and how much is said of causes. */
export function figuresOf(screen: string): string {
  const lines = screen.trimEnd().split('\n');
  const taken = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  const broken = lines.filter((line) => /(?:^|\s)\S*\w[-/](?=\s|$)/.test(line)).length;
  return `${taken > rows ? `**${taken}**` : taken} | ${broken || ''} | ${causesIn(screen)}`;
}

function causesIn(screen: string): string {
  if (/with their reasons$|wide shows the reasons$/m.test(screen)) {
    return /…(?: \(and \d+ more|$)/m.test(screen) ? 'in short' : 'with `-o wide`';
  }
  // A plan has its reasons beside or below its rows, or leaves them out.
  const hasRowsAlone = /^STEP .* RESULT$/m.test(screen) && !/^ {8}\S/m.test(screen);
  return hasRowsAlone ? 'with `-o wide`' : 'whole';
}

/** The three figures before, as the page has them. */
function figuresBefore(root: string): ReadonlyMap<string, string> {
  const path = `${root}docs/evidence/first-screens.md`;
  const page = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return new Map(
    Array.from(
      page.matchAll(/^\| .*\(\[([\w-]+)\]\([^)]*\)\) \| ((?:[^|]*\|){2}[^|]*) \|/gm),
      ([, name = '', figures = '']) => [name, figures],
    ),
  );
}

function figuresAt(commit: string, root: string): ReadonlyMap<string, string> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const names = git('ls-tree', '--name-only', `${commit}:${folder}`).split('\n');
  return new Map(
    names
      .filter((name) => name.endsWith(`-${width}.txt`))
      .map((name) => [
        name.replace(`-${width}.txt`, ''),
        figuresOf(git('show', `${commit}:${folder}/${name}`)),
      ]),
  );
}

const head = `# First screens

What each command prints on a terminal of 80 columns and 24 rows, with the remarks of stderr: how many rows it takes, in how many lines a
name is broken in its middle, and whether causes are printed in full. Figures before are those of the first edition of these commands;
\`–\` is a command that it did not have. \`node scripts/first-screens.ts\` makes this page from the [screens](../../${folder}), which
[terminal.test.ts](../../test/cli/terminal.test.ts) compares with what commands print. Each table in a pipe has a row for each object, and
\`-o wide\` every column.

| command | rows before | broken names | causes | rows | broken names | causes |
| --- | ---: | ---: | --- | ---: | ---: | --- |
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [, , flag, commit] = process.argv;
  const before = flag === '--before' && commit ? figuresAt(commit, root) : figuresBefore(root);
  writeFileSync(`${root}docs/evidence/first-screens.md`, firstScreensPage(root, before));
}

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { bareEnvironment } from '../support/run-gc.ts';
import { printedHere } from '../support/run-here.ts';

/**
 * Every ```console block of the documentation is executed: each `$ kubectl gc …` line is run in the
 * project's folder and must print what stands below it, on any day. With UPDATE_DOCS=1 the blocks are rewritten.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).sort();
const otherDay = join(root, 'test/support/other-day.ts');
// What is written today is compared on another day: an age without --now would be right for some hours only.
if (!process.env.UPDATE_DOCS) await import('../support/other-day.ts');
const block = /```console\n([\s\S]*?)```/g;

interface Step {
  readonly command: string;
  readonly output: string;
}

function stepsOf(text: string): Step[] {
  return text
    .split(/^(?=\$ )/m)
    .filter((part) => part.startsWith('$ '))
    .map((part) => {
      // A long command goes on behind a backslash.
      const [whole = part, command = ''] = /^\$ ((?:.*\\\n)*.*)\n/.exec(part) ?? [];
      return { command, output: part.slice(whole.length) };
    });
}

const environment = {
  NO_COLOR: '1',
  COLUMNS: '100',
  LINES: '100',
  LC_ALL: 'C.UTF-8',
  KUBECONFIG: '/nonexistent',
  HOME: '/nonexistent',
  ...(process.env.UPDATE_DOCS ? {} : { NODE_OPTIONS: `--import=${otherDay}` }),
};

/** What the line prints, run in this process where it is a command of ours alone, else in a shell. */
async function run(command: string): Promise<string> {
  const [, plain] = /^kubectl gc (?!__complete)([^|<>;&$()'"`*?\\]*)$/.exec(command) ?? [];
  if (plain === undefined) return runInShell(command);
  vi.stubEnv('HOME', environment.HOME);
  return printedHere(plain, { ...environment, KUBECTL_GC_BACKUP_DIR: '' });
}

/** A shell in which `kubectl gc` is this checkout. */
function runInShell(command: string): string {
  const shell = `kubectl() { shift; "${process.execPath}" bin/kubectl-gc.cjs "$@"; }; exec 2>&1; ${command}`;
  const { stdout } = spawnSync('bash', ['-c', shell], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...environment, XDG_CACHE_HOME: bareEnvironment.XDG_CACHE_HOME },
  });
  return stdout;
}

async function rendered(steps: readonly Step[]): Promise<string> {
  let text = '';
  for (const { command } of steps) text += `$ ${command}\n${await run(command)}`;
  return text;
}

/** Formats that are never fitted to a width, and the pages of rules, which are Markdown. */
const unlimited =
  /wide|-o ?=?(?:json|yaml|name|dot|mermaid|svg|html|sarif|junit|git|markdown|prom)|--explain |cat /;

/** Commands to paste are never broken. */
function isToPaste(line: string): boolean {
  return /^ *(?:(?:Fix|What to do|Explain|Delete): )?kubectl /.test(line);
}

describe.each(pages)('%s', (page) => {
  const path = join(root, page);
  const text = readFileSync(path, 'utf8');
  const blocks = [...text.matchAll(block)].map((match) => match[1] ?? '');

  if (process.env.UPDATE_DOCS) {
    test('is rewritten', async () => {
      let updated = '';
      let end = 0;
      for (const { index, 0: whole, 1: body = '' } of text.matchAll(block)) {
        updated += `${text.slice(end, index)}\`\`\`console\n${await rendered(stepsOf(body))}\`\`\``;
        end = index + whole.length;
      }
      updated += text.slice(end);
      writeFileSync(path, updated);
      expect(readFileSync(path, 'utf8')).toBe(updated);
    });
    return;
  }

  test.each(stepsOf(blocks.join('')))('$command', async ({ command, output }) => {
    expect(await run(command)).toBe(output);
  });

  test('no line of an example is wider than 100 columns, unless it says wide or is a document', () => {
    const read = stepsOf(blocks.join('')).filter(({ command }) => !unlimited.test(command));
    const lines = read.flatMap(({ command, output }) => `$ ${command}\n${output}`.split('\n'));
    expect(lines.filter((line) => [...line].length > 100 && !isToPaste(line))).toEqual([]);
  });

  test('links lead to files that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      (match) => match[1] ?? '',
    );
    const broken = links.filter((link) => globSync(join(path, '..', link)).length === 0);
    expect(broken).toEqual([]);
  });
});

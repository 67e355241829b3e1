import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { printedByBuild } from '../support/printed-by-build.ts';

/**
 * Every ```console block of the documentation is executed: each `$ kubectl gc …` line is run in the
 * project's folder and must print what stands below it. With UPDATE_DOCS=1 the blocks are rewritten.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).sort();
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
      const newline = part.indexOf('\n');
      return { command: part.slice(2, newline), output: part.slice(newline + 1) };
    });
}

/** Runs one command line in a shell in which `kubectl gc` is this checkout. */
function run(command: string): string {
  const shell = `kubectl() { shift; "${process.execPath}" bin/kubectl-gc.cjs "$@"; }; exec 2>&1; ${command}`;
  const { stdout } = spawnSync('bash', ['-c', shell], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', KUBECONFIG: '/nonexistent', HOME: '/nonexistent' },
  });
  return printedByBuild(stdout);
}

function rendered(steps: readonly Step[]): string {
  return steps.map(({ command }) => `$ ${command}\n${run(command)}`).join('');
}

describe.each(pages)('%s', (page) => {
  const path = join(root, page);
  const text = readFileSync(path, 'utf8');
  const blocks = [...text.matchAll(block)].map((match) => match[1] ?? '');

  if (process.env.UPDATE_DOCS) {
    test('is rewritten', () => {
      const updated = text.replace(
        block,
        (_, body: string) => `\`\`\`console\n${rendered(stepsOf(body))}\`\`\``,
      );
      writeFileSync(path, updated);
      expect(readFileSync(path, 'utf8')).toBe(updated);
    });
    return;
  }

  test.each(stepsOf(blocks.join('')))('$command', ({ command, output }) => {
    expect(run(command)).toBe(output);
  });

  test('links lead to files that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      (match) => match[1] ?? '',
    );
    const broken = links.filter((link) => globSync(join(path, '..', link)).length === 0);
    expect(broken).toEqual([]);
  });
});

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../../support/command-line.ts';
import { bareEnvironment } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const page = join(root, 'docs/library.md');
const folder = temporaryFolder();
const installed = join(folder, 'node_modules/kubectl-gc');

/** Programs of the page that print something, with what stands below them. */
const example = /```ts\n([^`]*console\.log[^`]*(?:`[^`\n]*`[^`]*)*?)```\n\n```text\n([\s\S]*?)```/g;
const examples = [...readFileSync(page, 'utf8').matchAll(example)].map(
  ([whole, program = '', output = '']) => ({ whole, program, output }),
);

/** As npm unpacks it: what package.json says is in the package, and nothing else. */
beforeAll(async () => {
  const npm = { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, HOME: folder };
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root, env: npm });
  const [{ filename }] = JSON.parse(stdout);
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
}, 120_000);

test('the page has its examples', () => {
  expect(examples.length).toBe(3);
});

test.each(examples)('the installed package prints what stands below example %#', async (one) => {
  const path = join(folder, 'example.mjs');
  writeFileSync(path, one.program);
  const { stdout } = await run(process.execPath, [path], {
    cwd: folder,
    env: { ...bareEnvironment, KUBECONFIG: '/nonexistent', HOME: folder },
  });
  if (process.env.UPDATE_DOCS) {
    const shown = one.whole.replace(`\`\`\`text\n${one.output}`, () => `\`\`\`text\n${stdout}`);
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(one.whole, () => shown),
    );
  } else expect(stdout).toBe(one.output);
});

test('every example is what a strict compiler takes', async () => {
  const source = readFileSync(page, 'utf8');
  const programs = [...source.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program);
  const apart = join(folder, 'typed');
  mkdirSync(join(apart, 'node_modules/@kubernetes'), { recursive: true });
  symlinkSync(installed, join(apart, 'node_modules/kubectl-gc'));
  for (const name of ['@types', '@kubernetes/client-node']) {
    symlinkSync(join(root, 'node_modules', name), join(apart, 'node_modules', name));
  }
  programs.forEach((program, n) => {
    writeFileSync(join(apart, `example-${n}.mts`), program);
  });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const files = programs.map((_, n) => `example-${n}.mts`);
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext'];
  const line = [tsc, ...options, '--target', 'esnext', '--types', 'node', ...files];
  const { stdout } = await run(process.execPath, line, { cwd: apart }).catch((error) => error);
  expect(stdout).toBe('');
}, 120_000);

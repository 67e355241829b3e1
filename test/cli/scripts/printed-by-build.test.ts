import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printedByBuild } from '../../support/printed-by-build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();

test('the documentation never gets the words of a checkout without a build', () => {
  mkdirSync(join(root, 'bin'));
  const launcher = join(root, 'bin', 'kubectl-gc.cjs');
  copyFileSync('bin/kubectl-gc.cjs', launcher);
  const { stderr } = spawnSync(process.execPath, [launcher, 'version'], { encoding: 'utf8' });
  expect(() => printedByBuild(stderr)).toThrow('kubectl gc is not built');
});

test('a build that is not complete is none', () => {
  const stderr = "Error: Cannot find module '/somewhere/dist/main.cjs'\nRequire stack:";
  expect(() => printedByBuild(stderr)).toThrow('kubectl gc is not built');
});

test('what a command says of modules and errors stays', () => {
  const output = 'error: no collector "built"\n';
  expect(printedByBuild(output)).toBe(output);
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const page = readFileSync('docs/dependencies.md', 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| [@a-z]/.test(line) && !line.startsWith('| package'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', license, , purpose = '', brought = '']) => ({
    name,
    license,
    purpose,
    brought: brought.split(', ').filter((one) => one !== ''),
  }));

const licences = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
const bundled = Array.from(
  licences.matchAll(/^={4} (\S+) \S+ \((.+)\) ={4}$/gm),
  ([, name = '', license = '']) => ({ name, license }),
);

test('the page of dependencies names every package whose code is in the bundle, and no other', () => {
  const named = new Set(rows.flatMap(({ name, brought }) => [name, ...brought]));
  expect([...named].sort()).toEqual([...new Set(bundled.map(({ name }) => name))].sort());
});

test('every package has the licence and a purpose that the page gives it', () => {
  expect(rows.length).toBeGreaterThan(5);
  for (const { name, license, purpose } of rows) {
    const found = bundled.find((one) => one.name === name)?.license;
    expect([name, license, purpose !== '']).toEqual([name, found, true]);
  }
});

test('the bundle contains only licences that permit bundling', () => {
  const licenses = new Set(bundled.map(({ license }) => license));
  expect([...licenses].sort()).toEqual([
    'Apache-2.0',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
  ]);
});

test('users install no packages, and nothing runs when they install this one', () => {
  const { dependencies, optionalDependencies, scripts } = require('../../package.json');
  expect([dependencies, optionalDependencies]).toEqual([undefined, undefined]);
  const names = Object.keys(scripts);
  expect(names.filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

test('every action of the pipeline is pinned by commit', () => {
  const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);
  const used = ['action.yml', ...workflows].flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/^\s*(?:- )?uses: (\S+)/gm),
  ]);
  expect(used.length).toBeGreaterThan(4);
  for (const [, action = ''] of used) expect(action).toMatch(/^\.\/|@[0-9a-f]{40}$/);
});

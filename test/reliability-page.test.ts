import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/evidence/reliability.md', 'utf8');

test.each([
  ['docs/evidence/reliability.md', 30],
  ['docs/versions.md', 5],
])('every test that %s names is there', (path, least) => {
  const links = Array.from(
    readFileSync(path, 'utf8').matchAll(/\[((?:[^[\]]|\\[[\]])+)\]\((?:\.\.\/)+(test\/[^)]+)\)/g),
    ([, title = '', file = '']) => ({ title: title.replaceAll('\\', ''), file }),
  );
  expect(links.length).toBeGreaterThan(least);
  const missing = links.filter(
    ({ title, file }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title),
  );
  expect(missing).toEqual([]);
});

test('every line of a table in it names its test', () => {
  const lines = page
    .split('\n')
    .filter((line) => /^\| /.test(line) && !/^\| (---|.*\| tests? \|$)/.test(line));
  const figures = /^\| [^|]+(\| [\d,]+ ){4}\|$/;
  const heads = /^\| (reader|folder) \|/;
  const unnamed = lines.filter(
    (line) => !figures.test(line) && !heads.test(line) && !line.includes('](../../test/'),
  );
  expect(unnamed).toEqual([]);
});

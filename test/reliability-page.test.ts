import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/reliability.md', 'utf8');
const links = Array.from(
  page.matchAll(/\[((?:[^[\]]|\\[[\]])+)\]\(\.\.\/(test\/[^)]+)\)/g),
  ([, title = '', path = '']) => ({ title: title.replaceAll('\\', ''), path }),
);

test('every test that the page of reliability names is there', () => {
  expect(links.length).toBeGreaterThan(30);
  const missing = links.filter(
    ({ title, path }) => !existsSync(path) || !readFileSync(path, 'utf8').includes(title),
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
    (line) => !figures.test(line) && !heads.test(line) && !line.includes('](../test/'),
  );
  expect(unnamed).toEqual([]);
});

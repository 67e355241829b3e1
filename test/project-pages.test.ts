import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pureFolders, rooms } from './support/architecture/rooms.ts';

/** The names in backquotes of the paragraph that follows a line in bold. */
function namesAfter(page: string, title: string): string[] {
  const [, paragraph = ''] = page.split(`**${title}**`);
  const [first = ''] = paragraph.split('\n\n');
  return [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
}

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

  test('shows the order of rooms.ts', () => {
    expect(namesAfter(page, 'Order.')).toEqual(rooms.map(({ name }) => name));
  });

  test('lists the pure folders of rooms.ts', () => {
    expect(namesAfter(page, 'Pure.').sort()).toEqual([...pureFolders].sort());
  });

  test('has a section for each room', () => {
    const described = [...page.matchAll(/^\| \[`([a-z]+)`\]\(src\/[a-z]+\)/gm)].map(
      ([, name]) => name,
    );
    expect(described).toEqual(rooms.map(({ name }) => name));
  });
});

describe.each([
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  'bench/measurements.md',
])('%s', (page) => {
  test('links to files that are there', () => {
    const at = new URL(`../${page}`, import.meta.url);
    const text = readFileSync(at, 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '');
    const broken = links.filter((path) => !existsSync(new URL(path, at)));
    expect(broken).toEqual([]);
  });
});

/** Words that readers of the field stumble over. A `consequence` of documents keeps one of them. */
const unwanted =
  /\b(anew|for ever|foreseen|foretold|graver|heard of|in vain|mend(s|ed)?|nobody|pictures? of|tells? which|whoever|(?<![\d.,] ?)1 (objects|references|findings|kinds|images|events)|(tak(e|es|en|ing)|took) (\S+ ){0,3}off)\b/i;

test('the source, the docs and the README use the words of the field', () => {
  const root = new URL('..', import.meta.url);
  const files = globSync(['src/**/*.ts', 'docs/**/*.md', 'README.md'], { cwd: root });
  const found = files.flatMap((path) =>
    readFileSync(new URL(path, root), 'utf8')
      .replaceAll('blocks a foreground deletion for ever', '')
      .split('\n')
      .flatMap((line, at) => {
        const [word] = unwanted.exec(line) ?? [];
        return word === undefined ? [] : `${path}:${at + 1}: ${word}`;
      }),
  );
  expect(found).toEqual([]);
});

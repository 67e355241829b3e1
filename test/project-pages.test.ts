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
    const described = [...page.matchAll(/^\| \[`([a-z-]+)`\]\(src\/[a-z-]+\)/gm)].map(
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

/** The ids that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^ *```.*?^ *```$/gms, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  const seen = new Map<string, number>();
  return new Set(
    headings.map((anchor) => {
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    }),
  );
}

test('links lead to headings that exist', () => {
  const cwd = new URL('..', import.meta.url);
  const pages = globSync(['*.md', 'bench/*.md', 'docs/**/*.md'], { cwd });
  const broken = pages.flatMap((page) => {
    const at = new URL(page, cwd);
    const text = readFileSync(at, 'utf8');
    const links = [...text.matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)];
    return links.flatMap(([, path = '', anchor = '']) => {
      const target = path === '' ? at : new URL(path, at);
      if (!target.pathname.endsWith('.md') || !existsSync(target)) return [];
      return anchorsOf(readFileSync(target, 'utf8')).has(anchor)
        ? []
        : [`${page}: ${path}#${anchor}`];
    });
  });
  expect(broken).toEqual([]);
});

/** As on kubernetes.io: pages that explain or that list, instead of a task with steps. */
const conceptsAndReferences = [
  'README.md',
  'commands/{backups,options,version}.md',
  'deletions/*.md',
  '{collectors,evidence,rules,texts}/*.md',
  '{dependencies,finalizers,glossary,library,other-tools,output,performance}.md',
  '{permissions,release,server-load,settings,versions}.md',
];

describe('pages of tasks', () => {
  const cwd = new URL('../docs', import.meta.url);
  const pages = globSync('**/*.md', { cwd, exclude: conceptsAndReferences }).sort();

  test.each(pages)('%s has the four headings in their order', (page) => {
    const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
    const headings = [...text.matchAll(/^## (Before you begin|Steps|What you see|What's next)$/gm)];
    expect(headings.map(([, heading]) => heading)).toEqual([
      'Before you begin',
      'Steps',
      'What you see',
      "What's next",
    ]);
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

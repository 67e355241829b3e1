import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The cells below a header of RESULT, of every table in a text. */
function resultsIn(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((header, at) => {
    const place = /(?<=^|\s)RESULT(?=\s|$)/.exec(header);
    if (!place || !/^\s*[A-Z]{3,}[A-Z ]*$/.test(header)) return [];
    const [from, until] = [place.index, header.slice(place.index).search(/(?<=\s)\S/)];
    const end = until < 0 ? undefined : from + until;
    const next = lines.slice(at + 1);
    const length = next.findIndex((line) => line.trim() === '' || line.startsWith('```'));
    // What stands below a row is indented, and no row of the table.
    const rows = next
      .slice(0, length < 0 ? undefined : length)
      .filter((line) => line.slice(Math.max(0, from - 2), from).trim() === '');
    return rows
      .filter((line) => !/^[A-Z ]+$/.test(line))
      .map((line) => line.slice(from, end).trim());
  });
}

test('a result has at most three words: its cause stands under REASON', () => {
  const root = new URL('../..', import.meta.url);
  const files = globSync(
    ['test/fixtures/transcripts/*.txt', 'test/fixtures/screens/*.txt', 'docs/**/*.md'],
    {
      cwd: root,
    },
  );
  const results = files.flatMap((path) => resultsIn(readFileSync(new URL(path, root), 'utf8')));
  expect(new Set(results).size).toBeGreaterThan(15);
  expect([...new Set(results)].filter((result) => result.split(' ').length > 3)).toEqual([]);
});

test('cells of a result are found', () => {
  const table = [
    'OBJECT  RESULT             REASON',
    'Pod/a   stuck, then gone   x',
    'Pod/b   stays              y',
    '',
    'Pod/c   not of the table   z',
  ];
  expect(resultsIn(table.join('\n'))).toEqual(['stuck, then gone', 'stays']);
});

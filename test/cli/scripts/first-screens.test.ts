import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { figuresOf, firstScreensPage } from '../../../scripts/first-screens.ts';

test('docs/evidence/first-screens.md has the figures of the screens: node scripts/first-screens.ts', () => {
  const page = readFileSync('docs/evidence/first-screens.md', 'utf8');
  expect(firstScreensPage('./')).toBe(page);
});

describe('figures of a screen', () => {
  test.each([
    ['fit', 'OBJECT  REASON\nPod/a   gone\n', '2 |  | whole'],
    ['count the rows that a long command takes', `${'x'.repeat(200)}\n`, '3 |  | whole'],
    ['stand out above 24 rows', 'x\n'.repeat(25), '**25** |  | whole'],
    ['count names that go on in the next line', 'Secret/  a\nregistry-\nmirror\n', '3 | 2 | whole'],
    [
      'say that reasons are short',
      'a  no Pod…\nand 2 more findings: -o wide lists all 9 with their reasons\n',
      '2 |  | in short',
    ],
    ['say that reasons are elsewhere', 'a\n-o wide shows the reasons\n', '2 |  | with `-o wide`'],
  ])('%s', (_, screen, figures) => {
    expect(figuresOf(screen)).toBe(figures);
  });
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madePages } from '../scripts/pages.ts';

const root = new URL('..', import.meta.url);

test.each([...madePages()])('%s is as npm run pages makes it', (path, text) => {
  expect(readFileSync(new URL(path, root), 'utf8')).toBe(text);
});

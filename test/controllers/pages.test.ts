import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forecastControllers } from '../../src/questions/forecast/document.ts';

const folder = new URL('../../docs/collectors/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, folder), 'utf8');

test('every collector has a page, and a line in the list of them', () => {
  const index = read('README.md');
  const missing = forecastControllers.filter(
    (id) => !existsSync(new URL(`${id}.md`, folder)) || !index.includes(`| [${id}](${id}.md) |`),
  );
  expect(missing).toEqual([]);
});

test.each(forecastControllers)('the page of %s shows an example to run', (id) => {
  const page = read(`${id}.md`);
  expect([page.startsWith('# '), /```console\n\$ kubectl gc /.test(page)]).toEqual([true, true]);
});

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const line =
  'orphans -A --from test/fixtures/clusters/orphaned-replicaset.yaml --now 2026-01-31T12:00:00Z';
const because = 'there is no Deployment web in namespace shop';

async function lastCell(columns?: number): Promise<[string, number]> {
  const { stdout } = await gcHere(line, { NO_COLOR: '1' }, columns);
  const row = stdout.trimEnd().split('\n')[1] ?? '';
  return [row.replace(/^.*11d +/, ''), row.length];
}

test('a table is as wide as the terminal; its last column is cut, but stays readable', async () => {
  expect(await lastCell()).toEqual([because, 123]);
  expect(await lastCell(123)).toEqual([because, 123]);
  expect(await lastCell(122)).toEqual(['there is no Deployment web in namespace sh…', 122]);
  expect(await lastCell(106)).toEqual(['there is no Deployment web…', 106]);
  expect(await lastCell(40)).toEqual(['there is no Deploym…', 99]);
});

test('what is no plain table is never cut', async () => {
  for (const format of ['wide', 'json', 'yaml', 'name']) {
    const question = `${line} -o ${format}`;
    const env = { NO_COLOR: '1' };
    expect(await gcHere(question, env, 40)).toEqual(await gcHere(question, env));
  }
});

test('a terminal has colours, unless it is a dumb one', async () => {
  const coloured = (await gcHere(line, {}, 200)).stdout;
  expect(coloured).toContain('\u001b[31mdelete\u001b[39m');
  const dumb = await gcHere(line, { TERM: 'dumb' }, 200);
  expect(dumb.stdout).toBe(stripVTControlCharacters(coloured));
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const file = join(temporaryFolder(), 'held.yaml');
const held = (kind: string, name: string, finalizer: string, day: number) =>
  `apiVersion: v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop, uid: of-${name}, deletionTimestamp: 2026-01-0${day}T00:00:00Z, finalizers: [${finalizer}]}
`;
const many = (kind: string, count: number, finalizer: string) =>
  Array.from({ length: count }, (_, at) =>
    held(kind, `${kind.toLowerCase()}-${finalizer.slice(0, 1)}-${at}`, finalizer, (at % 3) + 1),
  );
writeFileSync(
  file,
  [
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: of-shop}\n',
    ...many('ConfigMap', 30, 'acme.test/wait'),
    ...many('ConfigMap', 4, 'blue.test/wait'),
    ...many('Secret', 6, 'acme.test/wait'),
  ].join('---\n'),
);
const from = `--from ${file} --complete --now 2026-02-01T00:00:00Z`;
const rowsOf = (text: string) => text.split('\n').filter((line) => line.includes('.test/wait'));

test('audit shows deletions that one finalizer of one kind blocks in one row; in a pipe, wide or as JSON each', async () => {
  const { stdout } = await gcHere(`audit ${from} --rule stuck-object`, { COLUMNS: '400' });
  expect(rowsOf(stdout).map((row) => /\d+ (ConfigMap|Secret)s/.exec(row)?.[0])).toEqual([
    '30 ConfigMaps',
    '4 ConfigMaps',
    '6 Secrets',
  ]);
  const piped = await gcHere(`audit ${from} --rule stuck-object`);
  expect(rowsOf(piped.stdout)).toHaveLength(40);
  const wide = await gcHere(`audit ${from} --rule stuck-object -o wide`);
  expect(rowsOf(wide.stdout)).toHaveLength(40);
  const json = await gcHere(`audit ${from} --rule stuck-object -o json`);
  expect(JSON.parse(json.stdout).items).toHaveLength(40);
});

test('a preview names a finalizer once for each kind that waits for its removal', async () => {
  const { stdout } = await gcHere(`delete namespace/shop --preview ${from}`);
  const summary = stdout.split('\n').find((line) => line.includes('wait for')) ?? '';
  expect(
    [...summary.matchAll(/(\w+)\.test\/wait of (\d+ \w+)/g)].map(
      ([, name, whose]) => `${name} ${whose}`,
    ),
  ).toEqual(['acme 30 ConfigMaps', 'blue 4 ConfigMaps', 'acme 6 Secrets']);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const chain = '--from examples/clusters/what-follows.yaml --complete --now 2026-01-31T12:00:00Z';

/** Where the names of objects are, of each item in its order. */
async function names(line: string): Promise<string[]> {
  const { stdout, stderr, code } = await gcHere(`forecast ${line} ${chain} -o json`);
  expect(code, stderr).toBe(0);
  const { items } = JSON.parse(stdout) as { items: { object: { name: string } }[] };
  return items.map(({ object }) => object.name);
}

describe('--within', () => {
  test.each([
    ['2h', ['cache-0', 'cache-0-peers', 'migrate', 'migrate-x']],
    ['1d', ['cache-0', 'cache-0-peers', 'migrate', 'migrate-x']],
    ['69m59s', ['cache-0', 'cache-0-peers']],
    ['0', ['cache-0']],
  ])('%s', async (within, expected) => {
    expect(await names(`--within ${within}`)).toEqual(expected);
  });

  test.each([
    ['-1h', '--within "-1h" is before now'],
    ['3x', '--within "3x" is not a duration'],
    ['1.5d', '--within "1.5d" is not a duration'],
    ['', '--within "" is not a duration'],
    ['99999999h', '--within "99999999h" is more than a hundred years'],
  ])('refuses %s', async (within, message) => {
    const { code, stderr, stdout } = await gcHere(`forecast --within=${within} ${chain}`);
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${message}`]);
  });
});

test('a collector that is misspelt is told the nearest name', async () => {
  const { code, stderr } = await gcHere(`forecast --collector ttl-after-finish ${chain}`);
  expect([code, ...stderr.split('\n').slice(0, 2)]).toEqual([
    2,
    'error: --collector "ttl-after-finish" is not a collector',
    '  Did you mean ttl-after-finished?',
  ]);
});

test('-n and --collector narrow what is shown, not what follows', async () => {
  expect(await names('--collector garbage-collector')).toEqual(['cache-0-peers', 'migrate-x']);
  expect(await names('-n elsewhere')).toEqual([]);
});

test('where only metadata was read, it says what cannot be forecast', async () => {
  const file = join(folder, 'bare.yaml');
  const metadata = { name: 'done', namespace: 'shop', uid: 'a-uid' };
  writeFileSync(file, JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata }));
  const { stdout, stderr } = await gcHere(`forecast --complete --from ${file} --within 1h`);
  expect([stdout, ...stderr.split('\n')]).toEqual([
    '',
    'Kubelets were not asked: --collector image-gc,container-gc does that.',
    'Of jobs.batch only metadata was read, so it is unknown what these do: ttl-after-finished, cronjob-history, job, adoption.',
    'Switched off: bootstrap-token-cleaner.',
    'No deletions found in what could be read.',
    '',
  ]);
});

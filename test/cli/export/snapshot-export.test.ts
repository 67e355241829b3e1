import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeEach, expect, test } from 'vitest';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What it says stands in test/fixtures/transcripts/export.txt. */
const scratch = temporaryFolder();
const folder = join(scratch, 'tables');
beforeEach(() => rmSync(folder, { recursive: true, force: true }));
const shop = 'examples/clusters/shop.json.gz';

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  const { buffer } = Uint8Array.from(readFileSync(join(folder, `${table}.parquet`)));
  return parquetReadObjects({ file: buffer });
}

test('three tables are written, for their owner alone', async () => {
  expect(await gcHere(`snapshot export ${shop} --to ${folder}`)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Exported 360 objects and 91 references to ${folder}.\n`,
  });
  expect(readdirSync(folder)).toEqual([
    'objects.parquet',
    'problems.parquet',
    'references.parquet',
  ]);
  expect(statSync(join(folder, 'objects.parquet')).mode & 0o777).toBe(0o600);
  const objects = await rowsOf('objects');
  expect(objects.find(({ kind, name }) => kind === 'Deployment' && name === 'web')).toEqual({
    cluster: 'shop',
    observed_at: new Date('2026-11-21T14:52:17Z'),
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    api_version: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments.apps',
    namespace: 'shop',
    name: 'web',
    created_at: expect.any(Date),
    deletion_at: null,
    finalizers: '[]',
    labels: expect.stringContaining('"app":"web"'),
    owners: 0,
    owners_state: null,
    gc_action: 'unowned',
    gc_rule: 'GC-22.8',
  });
});

test('an export has a table of unread kinds, and one cluster for each file name', async () => {
  const stuck = 'examples/clusters/stuck.yaml';
  const broken = join(scratch, 'broken.yaml');
  writeFileSync(broken, 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n---\na: [\n');
  const { code } = await gcHere(`snapshot export ${stuck} ${broken} --to ${folder}`);
  expect(code).toBe(0);
  const clusters = new Set((await rowsOf('objects')).map(({ cluster }) => cluster));
  expect(clusters).toEqual(new Set(['stuck', 'broken']));
  const problems = await rowsOf('problems');
  expect(
    problems.filter(({ cluster }) => cluster === 'broken').map(({ reason }) => reason),
  ).toContain('unreadable');
});

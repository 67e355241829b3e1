import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const shop = 'examples/clusters/shop.json.gz';

const example = () => decodeSnapshot(JSON.parse(gunzipSync(readFileSync(shop)).toString()));

/** The example as another snapshot. */
function savedAs(name: string, changes: Partial<Snapshot>): string {
  writeFileSync(inFolder(name), [...encodeSnapshot({ ...example(), ...changes }, crc32)].join(''));
  return inFolder(name);
}

test('snapshot diff says from which server a snapshot was saved, and that there may be two clusters', async () => {
  const records = example().records.filter(({ name }) => name !== 'kube-system');
  const other = savedAs('other.json', {
    records,
    origin: { kind: 'cluster', server: 'https://other.example:6443' },
  });
  const { stdout, stderr } = await gcHere(`snapshot diff ${shop} ${other} -o json`);
  const { before, after, sameCluster } = JSON.parse(stdout);
  expect([before.server, after.server, sameCluster]).toEqual([
    'https://kubernetes.shop.example:6443',
    'https://other.example:6443',
    'unknown',
  ]);
  expect(stderr).toMatch(/^The snapshots were saved from two addresses \(/);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const [shop, later] = ['shop', 'shop-later'].map((name) => `examples/clusters/${name}.json.gz`) as [
  string,
  string,
];

const example = () => decodeSnapshot(JSON.parse(gunzipSync(readFileSync(shop)).toString()));

/** The example as another snapshot. */
function savedAs(name: string, changes: Partial<Snapshot>): string {
  writeFileSync(inFolder(name), [...encodeSnapshot({ ...example(), ...changes }, crc32)].join(''));
  return inFolder(name);
}

describe('snapshot diff', () => {
  test.each([
    [`${shop} ${later}`, 0],
    [`${shop} ${later} --exit-code`, 1],
    [`${shop} ${shop} --exit-code`, 0],
    [`${shop} ${later} --kind services --exit-code`, 0],
    [`${shop} ${later} --kind services --kind po,cm --exit-code -n payments`, 0],
    [`${shop} --from ${later} --kind jobs.batch -n payments --exit-code`, 1],
    [`${shop} ${later} --kind frobs`, 2],
    [`${shop} ${later} ${later}`, 2],
    [`${shop} ${later} --from ${later}`, 2],
    ['- -', 2],
    ['', 2],
  ])('of %s ends with %d', async (line, code) => {
    const run = await gcHere(`snapshot diff ${line}`.trim());
    expect([run.code, run.stderr === '']).toEqual([code, false]);
  });

  test('ends with 3 where nothing changed as far as both were read', async () => {
    const part = inFolder('payments.json');
    await gcHere(`snapshot save ${part} -n payments --from ${shop}`);
    const { code, stdout, stderr } = await gcHere(`snapshot diff ${shop} ${part} --exit-code`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^Not compared, as the second snapshot holds them only in namespace payments: .*\bpods\b/m,
    );
    expect(stderr).toMatch(/^No changes found in what could be read\.$/m);
    expect((await gcHere(`snapshot diff ${shop} ${part} --exit-code -n payments`)).code).toBe(0);
  });

  test('names what changed, once', async () => {
    const { stdout } = await gcHere(`snapshot diff ${shop} ${later} --kind cm,secrets -o name`);
    expect(stdout.split('\n').sort()).toEqual([
      '',
      'configmap/loyalty-tiers',
      'configmap/web-flags',
      'configmap/web-settings',
      'secret/web-session-keys',
    ]);
  });

  test('says from which server a snapshot was saved, and that there may be two clusters', async () => {
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
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { documentOf, expectYaml } from './published-document.ts';

const folder = temporaryFolder();

const example = 'examples/clusters/shop.json.gz';
const questions = [
  'owners all -n shop',
  'owners secrets,configmaps -n shop',
  'tree deployments,statefulsets -A',
  'tree namespaces,clusterroles',
  'orphans -A --unmanaged',
  'invalid-ownerrefs -A',
  'snapshot info',
  'snapshot diff examples/clusters/shop-later.json.gz',
  'simulate --delete deployment/web -n shop --cascade foreground',
  'simulate --delete namespace/payments',
  'delete deployment/web -n shop',
  'delete statefulsets --all -n payments',
  'delete deployment,statefulset -l app=web -A --compare',
  'delete namespace/payments --preview',
  'why deployment/web -n shop',
  'why -A',
  'why -n preview-142',
  'status',
];

const leftovers = '--from examples/clusters/leftovers.yaml --complete --now 2026-01-31T12:00:00Z';
const stuck = '--from examples/clusters/stuck.yaml --now 2026-01-31T12:00:00Z';

const incident = `--audit-log examples/audit/shop.log.gz --before ${example} --after examples/clusters/shop-later.json.gz`;

test.each([
  `deleted -A ${incident}`,
  `deleted job/abandoned-carts-29921210 -n shop ${incident}`,
  ...questions.map((question) => `${question} --from ${example}`),
  `podgc-preview ${leftovers}`,
  `podgc-preview --threshold 1 --keep 1 --per owner ${leftovers}`,
  `podgc-preview --threshold 0 -n nowhere ${leftovers}`,
  `podgc-preview --threshold 2 --apply ${leftovers}`,
  `forecast ${leftovers}`,
  `forecast --collector ttl-after-finished,csr-cleaner --apply ${leftovers}`,
  `forecast --within 1h -n shop ${leftovers}`,
  `forecast --collector csr-cleaner --collector garbage-collector ${leftovers}`,
  `why -A ${stuck} --complete`,
  `why configmap/lost -n orders-archive ${stuck} --fix --remove-finalizer finalizer.keda.sh`,
  'images --from examples/nodes',
  'containers --from examples/nodes',
])('%s: JSON as published, YAML the same', async (line) => {
  await expectYaml(`${line} -o yaml`, await documentOf(`${line} -o json`));
});

describe('the example cluster', () => {
  test.each(questions)('%s: the order of the input does not show', async (question) => {
    const saved = decodeSnapshot(JSON.parse(gunzipSync(readFileSync(example)).toString()));
    const path = join(folder, 'cluster.json');
    const documents: unknown[] = [];
    for (const records of [saved.records, saved.records.toReversed(), shuffled(saved.records)]) {
      writeFileSync(path, [...encodeSnapshot({ ...saved, records }, crc32)].join(''));
      const { code, stdout } = await gcHere(`${question} -o json --from ${path}`);
      expect(code).toBe(0);
      documents.push(stdout);
    }
    expect(documents[1]).toBe(documents[0]);
    expect(documents[2]).toBe(documents[0]);
  });
});

/** The same every time: a test must not depend on chance. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item, index) => ({ item, key: (index * 7919) % items.length }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { fromFiles, whole } from '../../src/library/snapshots.ts';
import { clusterOf } from '../support/answers.ts';
import { contradictionsIn } from '../support/contradictions.ts';
import { reportedClusters } from '../support/reported-clusters/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const at = '2026-02-01T00:00:00Z';

const folder = 'test/fixtures/clusters';

/** The clusters of examples and tests, and those that the documentation shows of each rule and tool. */
const paths = [
  ...globSync('{examples,test/fixtures}/clusters/*'),
  ...globSync('docs/{collectors,deletions,rules}/*.yaml').filter(
    (path) => !path.includes('settings'),
  ),
  folder,
];

test.each(paths.sort())('commands agree about %s', expectAgreement);

async function expectAgreement(path: string): Promise<void> {
  // The objects of the whole folder are previewed with the file that contains them.
  const previews = path === folder ? 5 : 20;
  for (const complete of [true, false]) {
    const snapshot = whole(await fromFiles([path], { now: new Date(at), complete }));
    expect(contradictionsIn(snapshot, complete ? previews : 5, complete)).toEqual([]);
    const controllers = ['*', '-garbagecollector'];
    if (complete) expect(contradictionsIn({ ...snapshot, controllers }, 5)).toEqual([]);
  }
}

const file = join(temporaryFolder(), 'cluster.ndjson');

test.each(reportedClusters)('commands agree about $name', async ({ objects }) => {
  writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n'));
  await expectAgreement(file);
});

test.each(globSync('test/fixtures/recorded/*.json').sort())('commands agree about %s', (path) => {
  const { cases, now } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly now?: string;
    readonly cases: readonly { readonly objects: readonly KubeObject[] }[];
  };
  const found = cases.flatMap(({ objects }) => contradictionsIn(clusterOf(objects, now), 1));
  expect(found).toEqual([]);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../support/command-line.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [before, after] = ['old', 'new'].map((side) => join(root, 'docs/pruning', side));
const shop = join(root, 'examples/clusters/shop.json.gz');

test('the verdict is about namespaces, definitions and data: other objects alone pass', async () => {
  const folder = temporaryFolder();
  const manifests = readFileSync(join(root, 'docs/pruning/old/web.yaml'), 'utf8').split('---');
  writeFileSync(join(folder, 'new.yaml'), manifests.slice(0, 4).join('---'));
  const line = `audit --from ${folder}/new.yaml --against ${before}`;
  expect(await gc(`${line} -o name`)).toMatchObject({ code: 0, stdout: 'configmap/greeting\n' });
  writeFileSync(join(folder, 'new.yaml'), `${manifests.slice(0, 4).join('---')}---\nno: object\n`);
  expect(await gc(`${line} -o name`)).toMatchObject({ code: 3 });
  expect(await gc(`${line} -o name --allow-incomplete`)).toMatchObject({ code: 0 });
  const never = await gc(`audit --from ${after} --against ${before} --fail-on never -o name`);
  expect(never.code).toBe(0);
});

test('with a snapshot of the cluster all that is there goes along, and what is not there is named', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'old.yaml'),
    ['shop', 'nowhere']
      .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`)
      .join('---\n'),
  );
  const line = `audit --from ${after} --against ${folder}/old.yaml --snapshot ${shop}`;
  const { code, stdout } = await gc(`${line} -o markdown`);
  expect(code).toBe(1);
  const [title, , summary] = stdout.split('\n');
  expect(title).toBe('## What this change prunes');
  expect(summary).toMatch(/^79 objects go \(1 whole namespace, 4 cluster-scoped\): 17 Pods,/);
  expect(stdout).toContain(
    '- **Warning:** The data of 4 PersistentVolumes goes with 4 PersistentVolumeClaims',
  );
  expect(stdout).toContain('|  | Namespace/shop | yes | will be stuck, then deleted |');
  expect(stdout).toContain('1 object of the old manifests is not in the snapshot of the cluster');
});

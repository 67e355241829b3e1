import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { sealPlan } from '../../src/deletion/saved-plan.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What people read of a deletion from files stands in test/fixtures/transcripts/delete.txt. */
const shop = '--from examples/clusters/shop.json.gz';
const folder = temporaryFolder();

test('a plan takes the place of an earlier one, and is for no cluster', async () => {
  const file = join(folder, 'plan.json');
  const save = (kind: string) => gcHere(`delete ${kind}/web -n shop --plan ${file} ${shop}`);
  expect([(await save('service')).code, (await save('deploy')).code]).toEqual([0, 0]);
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  expect(saved.requests).toMatchObject([{ kind: 'Deployment' }]);
  const { code, stdout } = await gcHere(`delete deploy/web -n shop --plan - ${shop}`);
  expect([code, JSON.parse(stdout).cluster]).toEqual([0, { server: '', uid: '' }]);
});

test('the document of a preview says why the deletion would be refused', async () => {
  const line = `delete deploy/web -n shop --preview -o json ${shop}`;
  const refused = validDocument('plan', (await gcHere(`${line} --max-deletes 3`)).stdout);
  expect(refused.refusals).toEqual([
    {
      code: 'too-many-deletes',
      message: '9 objects would be deleted, and --max-deletes allows 3',
      suggestions: ['See them with --preview, or allow them with --max-deletes=9.'],
    },
  ]);
  const allowed = await gcHere(`${line} --max-deletes 9`);
  expect('refusals' in JSON.parse(allowed.stdout)).toBe(false);
});

test('a saved plan is refused beside files, and beside a namespace that it does not delete in', async () => {
  const { stdout } = await gcHere(`delete deploy/web -n shop --plan - ${shop}`);
  const { digest, ...plan }: Plan & { digest: string } = JSON.parse(stdout);
  // Nobody listens there: what connects ends with 3.
  const server = 'http://127.0.0.1:1';
  const file = join(folder, 'of-cluster.json');
  writeFileSync(file, JSON.stringify(sealPlan({ ...plan, cluster: { server, uid: 'u' } })));
  const perform = async (more: string) =>
    (await gcHere(`delete --plan ${file} --yes -s ${server} ${more}`)).code;
  expect(await perform('--request-timeout 1s')).toBe(3);
  expect(await perform('-n shop --request-timeout 1s')).toBe(3);
  for (const more of [shop, '--from /nonexistent', '-n payments', '-n payments --preview']) {
    expect([more, await perform(more)]).toEqual([more, 2]);
  }
});

import { expect, test } from 'vitest';
import { gcHere } from '../../support/run-here.ts';

const shop = '--from examples/clusters/shop.json.gz';

async function tree(line: string) {
  const { code, stdout } = await gcHere(`tree ${line} ${shop} -o json`);
  expect([line, code]).toEqual([line, 0]);
  return JSON.parse(stdout);
}

interface Row {
  readonly kind: string;
  readonly namespace: string;
  readonly count: number;
  readonly below: number;
  readonly names: readonly string[];
}

const told = ({ contents = [] }: { contents?: readonly Row[] }) =>
  contents.map(({ kind, namespace, count, below, names }) => [
    kind,
    namespace,
    count,
    below,
    names.join(' '),
  ]);

test('a namespace contains its roots by kind, a definition its instances by namespace, a node its pods', async () => {
  expect(told(await tree('namespace/preview-142'))).toEqual([
    ['Database', 'preview-142', 1, 0, 'catalog'],
  ]);
  expect(told(await tree('crd/databases.platform.example.com'))).toEqual([
    ['Database', 'payments', 1, 9, 'orders'],
    ['Database', 'preview-142', 1, 0, 'catalog'],
    ['Database', 'shop', 1, 7, 'catalog'],
  ]);
  const node = await tree('node/worker-1');
  expect(told(node).map(([kind, , count]) => [kind, count])).toEqual([
    ['Pod', 3],
    ['Pod', 2],
    ['Pod', 6],
  ]);
  // The Lease is its dependent, by a reference.
  expect(node.edges.length).toBe(1);
  expect(await tree('deployment/web -n shop')).not.toHaveProperty('contents');
});

test('the content of a namespace is its roots and their dependents', async () => {
  const { contents } = (await tree('namespace/payments')) as { contents: readonly Row[] };
  const shown = contents.reduce((sum, { count, below }) => sum + count + below, 0);
  const { stderr } = await gcHere(`tree namespace/payments ${shop}`);
  const [, all = ''] = /contains (\d+) objects/.exec(stderr) ?? [];
  // What has several owners is below each of them.
  expect(shown).toBeGreaterThanOrEqual(Number(all));
});

test('a page draws contents as what is contained, one box for what is alike', async () => {
  const { stdout } = await gcHere(`tree namespace/shop ${shop} -o html`);
  expect(stdout).toContain('Deployment/3 objects');
  expect(stdout).toContain('"class":"contains"');
  expect(stdout).toMatch(/with its container/);
});

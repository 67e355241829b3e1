import { expect, test } from 'vitest';
import { validDocument } from '../../contract/valid-document.ts';
import { gcHere } from '../../support/run-here.ts';

const nodes = '--from examples/nodes --now 2026-01-31T12:00:00Z';

async function foretold(flags: string) {
  const { code, stdout, stderr } = await gcHere(`forecast ${flags} ${nodes} -o json`);
  expect(code, stderr).toBe(0);
  const document = validDocument('forecast', stdout);
  return document;
}

test('a comma list and repetition ask for the same, images and containers together', async () => {
  const listed = await foretold('--collector image-gc,container-gc');
  expect(await foretold('--collector image-gc --collector container-gc')).toEqual(listed);
  expect(listed.collectors.map(({ id }: { id: string }) => id)).toEqual([
    'image-gc',
    'container-gc',
  ]);
  expect(listed.items.map(({ object }: { object: { kind: string } }) => object.kind)).toEqual([
    'Container',
    'Container',
    'PodSandbox',
    ...Array.from({ length: 6 }, () => 'Image'),
  ]);
  expect(listed.items[3]).toEqual({
    collector: 'image-gc',
    action: 'delete',
    object: {
      apiVersion: 'runtime.v1',
      kind: 'Image',
      namespace: '',
      name: 'registry.example.com/shop/web:4.1.0',
      uid: expect.stringMatching(/^sha256:/),
    },
    node: 'worker-1',
    sizeBytes: 428_867_584,
    notBefore: '2026-01-31T12:00:00Z',
    notAfter: '2026-01-31T12:00:10Z',
    confidence: 'certain',
    finalizers: [],
    because: 'on worker-1: imagefs.available<15% is met: it is unused',
    rule: 'EV-2',
  });
});

test('-n keeps containers of that namespace; one collector keeps to its own', async () => {
  const shop = await foretold('--collector image-gc,container-gc -n shop');
  const kinds = shop.items.map(({ object }: { object: { kind: string } }) => object.kind);
  expect(kinds).toEqual(['Container', 'Container', 'PodSandbox']);
  const images = await foretold('--collector image-gc');
  expect(images.items.length).toBe(6);
  expect(images.collectors.length).toBe(1);
});

test('a forecast that asks no kubelet says so', async () => {
  const { code, stdout, stderr } = await gcHere(
    'forecast --from examples/clusters/leftovers.yaml --now 2026-01-31T12:00:00Z -o json',
  );
  expect(code).toBe(0);
  expect(stderr).toContain('Kubelets were not asked: --collector image-gc,container-gc does that.');
  const { collectors } = JSON.parse(stdout);
  expect(collectors.slice(-2).map((one: { unread: unknown }) => one.unread)).toEqual([
    ['nodes/proxy'],
    ['nodes/proxy'],
  ]);
});

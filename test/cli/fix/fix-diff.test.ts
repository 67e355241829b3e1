import { expect, test } from 'vitest';
import { fixDiff } from '../../../src/shell/fix/fix-diff.ts';

const object = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 'u' };
const manifest = {
  metadata: { name: 'shop', finalizers: ['example.com/hold'], annotations: { secret: 'x' } },
  spec: { finalizers: ['kubernetes', 'example.com/other'] },
};
const show = (after: Parameters<typeof fixDiff>[0]['after']) =>
  fixDiff({ object, does: '', after }, manifest);

test('only the lists that fixes change are shown, with a sign for each line', async () => {
  expect(await show((one) => ({ ...one, spec: { finalizers: ['example.com/other'] } }))).toEqual([
    'namespace/shop:',
    '  metadata:',
    '    finalizers:',
    '      - example.com/hold',
    '  spec:',
    '    finalizers:',
    '-     - kubernetes',
    '      - example.com/other',
  ]);
  expect(await show(() => ({ metadata: { annotations: { secret: 'y' } } }))).toEqual([
    'namespace/shop:',
    '- metadata:',
    '-   finalizers:',
    '-     - example.com/hold',
    '- spec:',
    '-   finalizers:',
    '-     - kubernetes',
    '-     - example.com/other',
  ]);
});

test('a deletion takes the whole object', async () => {
  expect(await show(() => undefined)).toEqual(['namespace/shop:', '- the whole object']);
});

test('text of the cluster cannot command the terminal', async () => {
  const hostile = { metadata: { finalizers: ['a\u001b[31m'] } };
  expect(await fixDiff({ object, does: '', after: (one) => one }, hostile)).toEqual([
    'namespace/shop:',
    '  metadata:',
    '    finalizers:',
    '      - "a\\e[31m"',
  ]);
});

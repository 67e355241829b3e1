import { expect, test } from 'vitest';
import { fixDiff } from '../../../src/shell/fix/fix-diff.ts';

const object = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 'u' };
const manifest = {
  metadata: { name: 'shop', finalizers: ['example.com/hold'], annotations: { secret: 'x' } },
  spec: { finalizers: ['kubernetes', 'example.com/other'] },
};
const step = { object, does: '', risk: '', path: '' };
const patch = (...body: readonly object[]) => fixDiff({ ...step, method: 'PATCH', body }, manifest);

test('only the lists that fixes change are shown, with a sign for each line', async () => {
  const spec = { finalizers: ['example.com/other'] };
  expect(await fixDiff({ ...step, method: 'PUT', body: { spec } }, manifest)).toEqual([
    'namespace/shop:',
    '  metadata:',
    '    finalizers:',
    '      - example.com/hold',
    '  spec:',
    '    finalizers:',
    '-     - kubernetes',
    '      - example.com/other',
  ]);
  const removed = ['/metadata/finalizers', '/spec'].map((path) => ({ op: 'remove', path }));
  expect(await patch(...removed)).toEqual([
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
  expect(await fixDiff({ ...step, method: 'DELETE', body: {} }, manifest)).toEqual([
    'namespace/shop:',
    '- the whole object',
  ]);
});

test('text of the cluster cannot command the terminal', async () => {
  const hostile = { metadata: { finalizers: ['a\u001b[31m'] } };
  expect(await fixDiff({ ...step, method: 'PATCH', body: [] }, hostile)).toEqual([
    'namespace/shop:',
    '  metadata:',
    '    finalizers:',
    '      - "a\\e[31m"',
  ]);
});

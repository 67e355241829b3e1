import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { nowhere } from '../../../src/command-line/shell-command.ts';
import { fixDiff, putCommand } from '../../../src/shell/fix/fix-diff.ts';
import { finalizeNamespace } from '../../../src/why/fix-request.ts';
import { builderOf } from '../../support/builders.ts';
import { hasTools } from '../../support/has-tools.ts';

const object = { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 'u' };
const manifest = {
  metadata: { name: 'shop', finalizers: ['example.com/hold'], annotations: { secret: 'x' } },
  spec: { finalizers: ['kubernetes', 'example.com/other'] },
};
const step = { object, does: '', risk: '', path: '' };
const patch = (...body: readonly object[]) => fixDiff({ ...step, method: 'PATCH', body }, manifest);

test('the diff of a fix shows only the changed lists, with a sign for each line', async () => {
  const entry = [{ op: 'remove', path: '/spec/finalizers/0' }];
  expect(await fixDiff({ ...step, method: 'PUT', body: entry }, manifest)).toEqual([
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

test.runIf(hasTools('jq'))(
  'the printed PUT changes one entry, and contains nothing of another object',
  () => {
    const facts = { specFinalizers: ["it's", 'kubernetes'] };
    const namespace = builderOf('v1', 'Namespace')('shop', { resourceVersion: '7', facts });
    const command = putCommand(finalizeNamespace(namespace, "it's"), nowhere);
    const [, read, change = '', send] = /^(.+?) \| (jq .+) \| (kubectl .+)$/.exec(command) ?? [];
    expect([read, send]).toEqual([
      'kubectl get namespace/shop -o json',
      'kubectl replace --raw /api/v1/namespaces/shop/finalize -f -',
    ]);
    const metadata = { uid: namespace.uid, resourceVersion: '7', labels: { team: 'shop' } };
    const stored = { metadata, spec: { finalizers: facts.specFinalizers } };
    const passed = (now: object) =>
      execFileSync('sh', ['-c', change], { input: JSON.stringify(now), encoding: 'utf8' });
    expect(JSON.parse(passed(stored))).toEqual({ metadata, spec: { finalizers: ['kubernetes'] } });
    for (const other of [{ uid: 'other' }, { resourceVersion: '8' }]) {
      expect(passed({ ...stored, metadata: { ...metadata, ...other } })).toBe('');
    }
  },
);

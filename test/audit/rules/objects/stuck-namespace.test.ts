import { expect, test } from 'vitest';
import { stuckNamespace } from '../../../../src/audit/rules/stuck-objects.ts';
import { builderOf, configMap } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const namespace = builderOf('v1', 'Namespace');
const ending = { deletionTimestamp: '2026-01-02T00:00:00Z' };
const shop = namespace('shop', { ...ending, facts: { specFinalizers: ['kubernetes'] } });

test('something in it that does not end', () => {
  const queue = configMap('queue', { ...ending, finalizers: ['finalizer.keda.sh'] });
  expect(violationsOf(stuckNamespace, [shop, queue])).toEqual([
    {
      at: 'Namespace shop',
      message: expect.stringMatching(
        /^being deleted for 24h: ConfigMap queue: finalizer\.keda\.sh/,
      ),
      command: 'kubectl gc why namespace/shop --fix',
      related: ['ConfigMap queue'],
    },
  ]);
});

test('a foreign entry in its spec.finalizers', () => {
  const held = { ...shop, facts: { specFinalizers: ['example.com/tenant'] } };
  expect(violationsOf(stuckNamespace, [held])).toEqual([
    {
      at: 'Namespace shop',
      message:
        'being deleted for 24h: its spec.finalizers hold example.com/tenant, which a program has to remove; files do not show which programs may remove it',
      command: 'kubectl gc why namespace/shop',
      severity: 'warning',
      confidence: 'likely',
      consequence: 'perhaps never gone: whether anything ends its deletion is unknown',
    },
  ]);
});

test.each([
  ['nobody deletes it', namespace('shop')],
  ['it has only just begun', { ...shop, deletionTimestamp: '2026-01-02T23:59:30Z' }],
])('not when %s', (_, record) => {
  expect(violationsOf(stuckNamespace, [record])).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { unusedLegacyToken } from '../../../../src/audit/rules/credentials.ts';
import { builderOf, configMap, type Details, pod, secret } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const account = (secrets: readonly string[] = []) =>
  builderOf('v1', 'ServiceAccount')('deployer', { facts: { secrets } });
const facts = { secretType: 'kubernetes.io/service-account-token' };
const token = (labels: Record<string, string> = {}, details: Details = {}) =>
  secret('deployer-token', {
    facts,
    labels,
    creationTimestamp: '2023-01-01T00:00:00Z',
    annotations: { 'kubernetes.io/service-account.name': 'deployer' },
    ...details,
  });
const tracking = configMap('kube-apiserver-legacy-service-account-token-tracking', {
  namespace: 'kube-system',
  creationTimestamp: '2024-01-01T00:00:00Z',
});
const lastUsed = (day: string) => ({ 'kubernetes.io/legacy-token-last-used': day });
const found = {
  at: 'Secret deployer-token',
  message:
    'this token of ServiceAccount deployer was not used for 365 days, and no pod refers to its Secret',
  command: 'kubectl delete secret/deployer-token -n shop',
  related: ['ServiceAccount deployer'],
  confidence: 'likely',
};
const cleaner = 'legacy-serviceaccount-token-cleaner-controller';

describe('a token that is not used', () => {
  test.each([
    ['ever', {}],
    ['any more', lastUsed('2024-12-01')],
  ])('%s, made by hand', (_, labels) => {
    expect(violationsOf(unusedLegacyToken, [tracking, account(), token(labels)])).toEqual([found]);
  });

  test.each([
    [
      {},
      `marked as invalid by ${cleaner} on its next daily pass, which ends it, and deleted 365 days later`,
    ],
    [
      { 'kubernetes.io/legacy-token-invalid-since': '2024-06-01' },
      `deleted by ${cleaner} on its next daily pass`,
    ],
  ])('made by Kubernetes, with labels %o', (labels, consequence) => {
    const records = [tracking, account(['deployer-token']), token(labels)];
    expect(violationsOf(unusedLegacyToken, records)).toEqual([{ ...found, consequence }]);
  });
});

test('a pod of which only metadata was read may use it', () => {
  expect(violationsOf(unusedLegacyToken, [tracking, account(), token(), pod('web')])).toEqual([
    { notChecked: 1, because: 'only metadata of pods was read' },
  ]);
});

const mounting = pod('web', {
  facts: { nodeName: '', volumes: [{ name: 't', secretName: 'deployer-token' }] },
});
test.each([
  ['is in use', [tracking, account(), token(lastUsed('2025-06-01'))]],
  ['a pod refers to', [tracking, account(), token(), mounting]],
  ['is young', [tracking, account(), token({}, { creationTimestamp: '2025-06-01T00:00:00Z' })]],
  ['nobody keeps track of', [account(), token()]],
  [
    'waits for its end',
    [
      tracking,
      account(['deployer-token']),
      token({ 'kubernetes.io/legacy-token-invalid-since': '2025-06-01' }),
    ],
  ],
  ['has no account', [tracking, token()]],
])('a token is left alone that %s', (_, records) => {
  expect(violationsOf(unusedLegacyToken, records)).toEqual([]);
});

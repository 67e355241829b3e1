import { expect, test } from 'vitest';
import { tokenOfGoneServiceAccount } from '../../../../src/audit/rules/objects/token-of-gone-serviceaccount.ts';
import { builderOf, type Details, secret } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const account = builderOf('v1', 'ServiceAccount');
const named = (uid?: string) => ({
  'kubernetes.io/service-account.name': 'deployer',
  ...(uid && { 'kubernetes.io/service-account.uid': uid }),
});
const facts = { secretType: 'kubernetes.io/service-account-token' };
const token = (details: Details = {}) =>
  secret('deployer-token', { facts, annotations: named(), ...details });
const found = {
  at: 'Secret deployer-token',
  message: 'its ServiceAccount deployer is gone, or another one has taken its name',
  command: 'kubectl delete secret/deployer-token -n shop',
  related: [],
};

test('its account is gone, or recreated', () => {
  expect(violationsOf(tokenOfGoneServiceAccount, [token()])).toEqual([found]);
  const annotations = named('an-earlier-one');
  const records = [token({ annotations }), account('deployer')];
  expect(violationsOf(tokenOfGoneServiceAccount, records)).toEqual([found]);
});

test('it stays where no controller runs', () => {
  const settings = { controllers: [] };
  expect(violationsOf(tokenOfGoneServiceAccount, [token()], { settings })).toEqual([
    { ...found, consequence: 'never collected: serviceaccount-token-controller does not run' },
  ]);
});

test.each([
  ['its account exists', [token(), account('deployer')]],
  ['it is being deleted', [token({ deleting: 'background' })]],
  [
    'it is no token',
    [secret('tls'), secret('join', { facts: { secretType: 'bootstrap.kubernetes.io/token' } })],
  ],
])('a Secret is left alone: %s', (_, records) => {
  expect(violationsOf(tokenOfGoneServiceAccount, records)).toEqual([]);
});

test('is not checked where objects were not read', () => {
  const unread = ['serviceaccounts'];
  expect(violationsOf(tokenOfGoneServiceAccount, [token()], { unread })).toEqual([
    { notChecked: 1, because: 'serviceaccounts in shop were not read' },
  ]);
  expect(violationsOf(tokenOfGoneServiceAccount, [token({ facts: undefined })])).toEqual([
    { notChecked: 1, because: 'only metadata of secrets was read' },
  ]);
});

import { expect, test } from 'vitest';
import { missingNamespace } from '../../../../src/audit/rules/manifests.ts';
import { builderOf, clusterRole, configMap } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const namespace = builderOf('v1', 'Namespace');

test('a namespace that is not there, or goes away', () => {
  const records = [
    namespace('shop'),
    namespace('old', { deleting: 'background' }),
    configMap('fine'),
    configMap('lost', { namespace: 'nowhere' }),
    configMap('late', { namespace: 'old' }),
    clusterRole('everywhere'),
  ];
  expect(violationsOf(missingNamespace, records)).toEqual([
    {
      at: 'ConfigMap lost',
      message: 'there is no namespace nowhere',
      command: 'kubectl create namespace nowhere',
    },
    {
      at: 'ConfigMap late',
      message: 'the namespace old is being deleted: nothing can be created in it',
      command: 'wait until the namespace is gone, and create it again',
      related: ['Namespace old'],
    },
  ]);
});

test('namespaces that were not read are not checked', () => {
  expect(violationsOf(missingNamespace, [configMap('one')], { unread: ['namespaces'] })).toEqual([
    { notChecked: 1, because: 'the namespace shop could not be looked up' },
  ]);
});

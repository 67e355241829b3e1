import { expect, test } from 'vitest';
import { unservedKind } from '../../../../src/audit/rules/manifests.ts';
import { configMap, customType, objectOfType } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

test('a kind that is served in another version, or not at all', () => {
  const records = [
    objectOfType(customType('poddisruptionbudgets.policy/v1beta1 PodDisruptionBudget'), 'web'),
    objectOfType(customType('shops.nobody.example.com/v1 Shop'), 'corner'),
    configMap('served'),
  ];
  expect(violationsOf(unservedKind, records)).toEqual([
    {
      at: 'PodDisruptionBudget web',
      message:
        'no API serves policy/v1beta1 PodDisruptionBudget, but policy/v1 PodDisruptionBudget',
      command: 'write it as policy/v1',
    },
    {
      at: 'Shop corner',
      message: 'no API serves nobody.example.com/v1 Shop',
      command:
        'install what defines the kind first, or add its CustomResourceDefinition to the manifests',
    },
  ]);
});

import { describe, expect, test } from 'vitest';
import { missingNamespace, unservedKind } from '../../../../src/audit/rules/manifests.ts';
import { configMap, customType, objectOfType } from '../../../support/builders.ts';
import { foundByRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

describe('missing-namespace', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        missingNamespace,
        `
    shop | Namespace shop
    old  | Namespace old         | {deleting: true}
    fine | ConfigMap fine
    lost | ConfigMap lost        | {namespace: nowhere}
    late | ConfigMap late        | {namespace: old}
    wide | ClusterRole everywhere
    `,
        `
    one that is not there, or goes away | shop; old; fine; lost; late; wide
    unknown where they were not read | fine | unread: [namespaces]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "one that is not there, or goes away
        ConfigMap lost: there is no namespace nowhere
        $ kubectl create namespace nowhere
        ConfigMap late: the namespace old is being deleted: nothing can be created in it
        with Namespace old
        $ wait until the namespace is deleted, then recreate it
      unknown where they were not read
        1 not checked: the namespace shop could not be looked up"
    `);
  });
});

describe('unserved-kind', () => {
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
        command: expect.stringContaining(' CustomResourceDefinition '),
      },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import {
  hardCodedOwner,
  missingNamespace,
  unservedKind,
} from '../../../../src/audit/rules/manifests.ts';
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

describe('hard-coded-owner', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        hardCodedOwner,
        `
    web     | Deployment web
    planned | Deployment web  | {uid: ""}
    made    | ConfigMap made  | {by: web, uid: ""}
    there   | ConfigMap there | {by: web}
    free    | ConfigMap free  | {uid: ""}
    `,
        `
    an owner that was not read | made | unread: [deployments.apps]
    an owner that is a manifest | made; planned
    not one that is there with that uid | made; web
    not one that is known to be missing | made
    not an object that exists | there | unread: [deployments.apps]
    not a manifest without references | free
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an owner that was not read
        ConfigMap made: the uid of Deployment web is hard-coded; a recreated owner gets another one
        $ remove the reference; a controller has to set it once the owner exists
      an owner that is a manifest
        ConfigMap made: the uid of Deployment web is hard-coded; a recreated owner gets another one
        $ remove the reference; a controller has to set it once the owner exists
      not one that is there with that uid
      not one that is known to be missing
      not an object that exists
      not a manifest without references"
    `);
  });
});

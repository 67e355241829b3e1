import { describe, expect, test } from 'vitest';
import { doomedDependents } from '../../../../src/audit/rules/doomed-dependents.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('doomed-dependents', () => {
  const gone = (text: string, uid: string) => {
    const [apiVersion, kind, name] = text.split(' ');
    return `{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: ${uid}}`;
  };
  const stale = `ownerReferences: [${gone('apps/v1 Deployment web', 'uid-old')}]`;
  const ofGone = (text: string) => `ownerReferences: [${gone(text, 'gone')}]`;
  const bySet = gone('apps/v1 ReplicaSet web-1', 'uid-replicaset-shop-web-1');
  const byLost = gone('v1 ConfigMap lost', 'uid-configmap-shop-lost');
  const also1 = (other: string) => `ownerReferences: [${bySet}, ${other}]`;
  const web = gone('apps/v1 Deployment web', 'uid-deployment-shop-web');
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        doomedDependents,
        `
    web    | Deployment web          | {}
    set    | ReplicaSet web-1        | {${stale}}
    one    | Pod web-1-a             | {by: set}
    two    | Pod web-1-b             | {by: set}
    state  | ConfigMap web-1-b-state | {by: two}
    shared | Pod shared
    below  | ConfigMap below         | {by: shared}
    lost   | ConfigMap lost          | {${ofGone('v1 Secret x')}}
    shop   | Namespace shop          | {${ofGone('example.com/v1 Gadget tenant')}}
    crd    | CustomResourceDefinition widgets.example.com | {${ofGone('example.com/v1 Gadget tenant')}}
    a      | Secret a
    b      | Secret b                | {namespace: bank}
    c      | Widget c                | {namespace: bank}
    `,
        `
    a restored tree whose top names the uid of the old owner | state; two; web; one; set
    not what another owner keeps, nor what hangs on that | web; set; shared {${also1(web)}}; below
    a dependent of two that go, though neither takes it alone | web; set; lost; shared {${also1(byLost)}}
    not where a finalizer keeps it as an owner | web; set {finalizers: [example.com/x]}; one
    not where its dependents are let go | web; set {finalizers: [orphan]}; one
    foregroundDeletion takes them along | web; set {finalizers: [foregroundDeletion]}; one
    not a frozen dependent | web; set; shared {${also1(gone('gone/v1 Gone x', 'x'))}}
    not one of an owner that was not read | web; set; shared {${also1(gone('v1 Secret x', 'x'))}} | unread: [secrets]
    a namespace takes what is in it, and a definition its instances | shop; a; b; crd; c
    not what a user deletes on purpose | web {deleting: true, finalizers: [foregroundDeletion]}; set {by: web}; one
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a restored tree whose top names the uid of the old owner
        ReplicaSet web-1: the next pass deletes it, and 3 more objects are deleted with it: 2 Pods, 1 ConfigMap
        with ConfigMap web-1-b-state, Pod web-1-a, Pod web-1-b
        $ kubectl gc invalid-ownerrefs replicasets.apps -n shop --field-selector metadata.name=web-1 --fix
      not what another owner keeps, nor what hangs on that
      a dependent of two that go, though neither takes it alone
        ConfigMap lost: the next pass deletes it, and 1 more object is deleted with it: 1 Pod
        with Pod shared
        $ kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=lost --fix
        ReplicaSet web-1: the next pass deletes it, and 1 more object is deleted with it: 1 Pod
        with Pod shared
        $ kubectl gc invalid-ownerrefs replicasets.apps -n shop --field-selector metadata.name=web-1 --fix
      not where a finalizer keeps it as an owner
      not where its dependents are let go
      foregroundDeletion takes them along
        ReplicaSet web-1: the next pass deletes it, and 1 more object is deleted with it: 1 Pod
        with Pod web-1-a
        $ kubectl gc invalid-ownerrefs replicasets.apps -n shop --field-selector metadata.name=web-1 --fix
      not a frozen dependent
      not one of an owner that was not read
      a namespace takes what is in it, and a definition its instances
        CustomResourceDefinition widgets.example.com: the next pass deletes it, and 1 more object is deleted with it: 1 Widget
        with Widget c
        $ kubectl gc invalid-ownerrefs customresourcedefinitions.apiextensions.k8s.io -A --field-selector metadata.name=widgets.example.com --fix
        Namespace shop: the next pass deletes it, and 1 more object is deleted with it: 1 Secret
        with Secret a
        $ kubectl gc invalid-ownerrefs namespaces -A --field-selector metadata.name=shop --fix
      not what a user deletes on purpose"
    `);
  });
});

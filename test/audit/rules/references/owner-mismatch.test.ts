import { describe, expect, test } from 'vitest';
import {
  crossNamespaceOwner,
  missingOwner,
  ownerKindMismatch,
  ownerNameMismatch,
  ownerUidMismatch,
} from '../../../../src/audit/rules/owner-mismatch.ts';
import { foundByReferences } from '../../../support/findings.ts';

describe('missing-owner', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        missingOwner,
        `
    pod     | Pod web-1
    live    | ReplicaSet live
    waiting | ReplicaSet waiting | {deleting: true, finalizers: [foregroundDeletion]}
    rack    | Gadget rack
    vault   | Secret bank/vault
    note    | Event note
    role    | ClusterRole reader
    `,
        `
    gone     | apps/v1 ReplicaSet gone
    frozen   | a.example.com/v1 A a
    secret   | v1 Secret vault
    settings | v1 ConfigMap settings
    node     | v1 Node node-a
    list     | v1 PodList x
    binding  | v1 Binding x
    live     | live
    stale    | live | {uid: uid-of-the-first}
    misnamed | live | {name: x}
    waiting  | waiting
    rack     | rack
    vault    | vault
    `,
        `
    a pod whose ReplicaSet is gone | pod <- gone
    beside an owner that lives, the reference is removed | pod <- live, gone; live
    beside one that freezes the object, nothing happens ever | pod <- gone, frozen
    beside an owner that was not read, what happens is unknown | pod <- gone, secret | unread: [secrets]
    beside one that lives and one that was not read | pod <- gone, secret, live; live | unread: [secrets]
    where no garbage collector runs | pod <- gone | controllers: ["*", -garbagecollector]
    an object on its way out stays on it | pod {deleting: true} <- gone
    an Event is not watched, so it is never collected | note <- gone
    a cluster-scoped owner | role <- node
    a list | pod <- list
    a kind that is only a request | pod <- binding
    not where all live | pod <- live!, rack; live; rack
    not where it waits | pod <- waiting; waiting
    not where it was recreated | pod <- stale; live
    not where it has another name | pod <- misnamed; live
    not where it is in another namespace | pod <- vault; vault
    not where its kind is not served | pod <- frozen
    not where its kind was not read | pod <- settings | unread: [configmaps]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod whose ReplicaSet is gone
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        deleted (GC-22.13)
        allow its deletion: the garbage collector deletes it; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it
      beside an owner that lives, the reference is removed
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        reference-removed (GC-22.11)
        remove the reference; another owner keeps the object
        1: removed
      beside one that freezes the object, nothing happens ever
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        never-collected (GC-30)
        allow its deletion: it stays as long as another of its references cannot be looked up; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it
      beside an owner that was not read, what happens is unknown
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        unknown (GC-27)
        allow its deletion: the garbage collector deletes it if its other owners do not exist, which was not read; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it
      beside one that lives and one that was not read
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        kept-by-another-owner (GC-27)
        remove the reference; another owner keeps the object
        0: removed
      where no garbage collector runs
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        never-collected (GC-78)
        allow its deletion: it stays: no ReplicaSet gone in namespace shop; but the garbage collector does not run here, as --controllers or --enable-garbage-collector leaves garbage-collector-controller off; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it
      an object on its way out stays on it
        Pod web-1 > ReplicaSet gone: no ReplicaSet gone in namespace shop
        being-deleted (GC-22.1)
        none: it is being deleted already, and that cannot be undone
      an Event is not watched, so it is never collected
        Event note > ReplicaSet gone: no ReplicaSet gone in namespace shop
        never-collected (GC-8)
        allow its deletion: it stays: the garbage collector does not watch Event objects; or keep it: remove the reference; it then remains until someone deletes it
      a cluster-scoped owner
        ClusterRole reader > Node node-a: no Node node-a
        deleted (GC-22.13)
        allow its deletion: the garbage collector deletes it; or keep it: remove the reference; it then remains until someone deletes it
      a list
        Pod web-1 > PodList x: PodList is a list, and a GET of one finds nothing
        deleted (GC-22.13)
        allow its deletion: the garbage collector deletes it; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no PodList replaces it when it fails or its node goes, unless one with a matching selector adopts it
      a kind that is only a request
        Pod web-1 > Binding x: Binding objects cannot be read back, so none is ever found
        deleted (GC-22.13)
        allow its deletion: the garbage collector deletes it; or keep it: remove the reference; it then remains until someone deletes it, and nothing manages it: no Binding replaces it when it fails or its node goes, unless one with a matching selector adopts it
      not where all live
      not where it waits
      not where it was recreated
      not where it has another name
      not where it is in another namespace
      not where its kind is not served
      not where its kind was not read"
    `);
  });
});

describe('owner-uid-mismatch', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        ownerUidMismatch,
        `
    pod   | Pod web-1
    web   | ReplicaSet web
    draft | ReplicaSet web | {uid: ""}
    blue  | ReplicaSet blue
    node  | Node node-a
    `,
        `
    stale    | web | {uid: uid-of-the-first}
    lost     | web | {uid: uid-of-the-first, name: nobody}
    misnamed | blue | {name: web}
    web      | web
    node     | node
    `,
        `
    a pod of the ReplicaSet that was there before is deleted | pod <- stale; web
    beside an owner that lives, the reference is removed | pod <- stale, node; web; node
    an object that names a former self is not pointed at itself | web <- stale
    not where the uid is right | pod <- web; web
    not where another one has it | pod <- misnamed; web; blue
    not where there is none of that name | pod <- lost; web
    not where its manifest was never applied, and has none | pod <- stale; draft
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod of the ReplicaSet that was there before is deleted
        Pod web-1 > ReplicaSet web: the ReplicaSet web in namespace shop has another uid
        deleted (GC-22.13)
        point the reference at the ReplicaSet that exists now (uid uid-replicaset-shop-web)
        0: uid=uid-replicaset-shop-web
      beside an owner that lives, the reference is removed
        Pod web-1 > ReplicaSet web: the ReplicaSet web in namespace shop has another uid
        reference-removed (GC-22.11)
        point the reference at the ReplicaSet that exists now (uid uid-replicaset-shop-web)
        0: uid=uid-replicaset-shop-web
      an object that names a former self is not pointed at itself
        ReplicaSet web > ReplicaSet web: the ReplicaSet web in namespace shop has another uid
        deleted (GC-22.13)
        remove the reference; it names the object itself
        0: removed
      not where the uid is right
      not where another one has it
      not where there is none of that name
      not where its manifest was never applied, and has none"
    `);
  });
});

describe('owner-name-mismatch', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        ownerNameMismatch,
        `
    pod    | Pod web-1
    blue   | ReplicaSet blue
    bleu   | ReplicaSet bleu
    scaler | HorizontalPodAutoscaler web
    vault  | Secret bank/vault
    `,
        `
    bleu   | blue   | {name: bleu}
    blue   | blue
    old    | scaler | {apiVersion: autoscaling/v1, name: wbe}
    kind   | blue   | {kind: Deployment, name: bleu}
    abroad | vault  | {name: x}
    frozen | blue   | {apiVersion: apps/v1beta2, name: x}
    `,
        `
    a misspelt owner is no owner | pod <- bleu; blue
    not even if its name is that of another one | pod <- bleu; blue; bleu
    named rightly as well: the patch by uid takes both | pod <- bleu, blue; blue
    in another version that is served it is the same kind | pod <- old; scaler
    not where the name is right | pod <- blue; blue
    not where the kind is wrong | pod <- kind; blue
    not where it is in another namespace | pod <- abroad; vault
    not where its version is not served | pod <- frozen; blue
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a misspelt owner is no owner
        Pod web-1 > ReplicaSet bleu: the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu
        deleted (GC-22.13)
        name the owner as apps/v1 ReplicaSet shop/blue
        0: name=blue
      not even if its name is that of another one
        Pod web-1 > ReplicaSet bleu: the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu
        deleted (GC-22.13)
        name the owner as apps/v1 ReplicaSet shop/blue
        0: name=blue
      named rightly as well: the patch by uid takes both
        Pod web-1 > ReplicaSet bleu: the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu
        reference-removed (GC-22.11)
        name the owner as apps/v1 ReplicaSet shop/blue
        0: name=blue
      in another version that is served it is the same kind
        Pod web-1 > HorizontalPodAutoscaler wbe: the uid is that of autoscaling/v2 HorizontalPodAutoscaler shop/web, but the reference says wbe
        deleted (GC-22.13)
        name the owner as autoscaling/v2 HorizontalPodAutoscaler shop/web
        0: apiVersion=autoscaling/v2 name=web
      not where the name is right
      not where the kind is wrong
      not where it is in another namespace
      not where its version is not served"
    `);
  });
});

describe('owner-kind-mismatch', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        ownerKindMismatch,
        `
    pod   | Pod web-1
    role  | ClusterRole reader
    web   | ReplicaSet web
    vault | Secret bank/vault
    `,
        `
    deployment | web   | {kind: Deployment}
    secret     | web   | {apiVersion: v1, kind: Secret, name: x}
    list       | web   | {kind: ReplicaSetList}
    node       | web   | {apiVersion: v1, kind: Node}
    lower      | web   | {kind: replicaset}
    misnamed   | web   | {name: x}
    abroad     | vault | {kind: ConfigMap}
    frozen     | web   | {kind: Sett}
    `,
        `
    a uid under the wrong kind is no owner | pod <- deployment; web
    the fix puts group and name right as well | pod <- secret; web
    a list of its kind is another kind | pod <- list; web
    a cluster-scoped object cannot be given a namespaced owner | role <- node; web
    not where it is in lower case | pod <- lower; web
    not where the name is wrong | pod <- misnamed; web
    not where it is in another namespace | pod <- abroad; vault
    not where its kind is not served | pod <- frozen; web
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a uid under the wrong kind is no owner
        Pod web-1 > Deployment web: the uid is that of apps/v1 ReplicaSet shop/web, but the reference says apps/v1 Deployment web
        deleted (GC-22.13)
        name the owner as apps/v1 ReplicaSet shop/web
        0: kind=ReplicaSet
      the fix puts group and name right as well
        Pod web-1 > Secret x: the uid is that of apps/v1 ReplicaSet shop/web, but the reference says v1 Secret x
        deleted (GC-22.13)
        name the owner as apps/v1 ReplicaSet shop/web
        0: apiVersion=apps/v1 kind=ReplicaSet name=web
      a list of its kind is another kind
        Pod web-1 > ReplicaSetList web: the uid is that of apps/v1 ReplicaSet shop/web, but the reference says apps/v1 ReplicaSetList web
        deleted (GC-22.13)
        name the owner as apps/v1 ReplicaSet shop/web
        0: kind=ReplicaSet
      a cluster-scoped object cannot be given a namespaced owner
        ClusterRole reader > Node web: the uid is that of apps/v1 ReplicaSet shop/web, but the reference says v1 Node web
        deleted (GC-22.13)
        remove the reference
        0: removed
      not where it is in lower case
      not where the name is wrong
      not where it is in another namespace
      not where its kind is not served"
    `);
  });
});

describe('cross-namespace-owner', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        crossNamespaceOwner,
        `
    pod   | Pod web-1
    role  | ClusterRole reader
    web   | ReplicaSet web
    rack  | Gadget rack
    vault | Secret bank/vault
    near  | Secret vault
    `,
        `
    vault  | vault
    near   | near
    web    | web
    rack   | rack
    frozen | a.example.com/v1 A a
    gone   | v1 Secret x
    node   | vault | {kind: Node}
    `,
        `
    an owner in another namespace is none | pod <- vault; vault
    not even if one of that kind and name is in the own one | pod <- vault; vault; near
    beside an owner that lives, the reference is removed | pod <- vault, web; vault; web
    on a frozen object it blocks the deletion of that owner | pod <- vault!, frozen; vault
    not where they are in the own namespace or in none | pod <- rack, near; rack; near
    not where it is gone | pod <- gone; vault
    not where the dependent is cluster-scoped | role <- vault; vault
    not where the kind is cluster-scoped | role <- node; vault
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an owner in another namespace is none
        Pod web-1 > Secret vault: the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only
        deleted (GC-22.13)
        remove the reference; tie the two together with a label and a finalizer of the owner instead
        0: removed
      not even if one of that kind and name is in the own one
        Pod web-1 > Secret vault: the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only
        deleted (GC-22.13)
        remove the reference; tie the two together with a label and a finalizer of the owner instead
        0: removed
      beside an owner that lives, the reference is removed
        Pod web-1 > Secret vault: the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only
        reference-removed (GC-22.11)
        remove the reference; tie the two together with a label and a finalizer of the owner instead
        0: removed
      on a frozen object it blocks the deletion of that owner
        Pod web-1 > Secret vault: the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only
        never-collected, blocks-foreground-deletion (GC-30)
        remove the reference; tie the two together with a label and a finalizer of the owner instead
        0: removed
      not where they are in the own namespace or in none
      not where it is gone
      not where the dependent is cluster-scoped
      not where the kind is cluster-scoped"
    `);
  });
});

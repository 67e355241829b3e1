import { describe } from 'vitest';
import {
  crossNamespaceOwner,
  missingOwner,
  ownerKindMismatch,
  ownerNameMismatch,
  ownerUidMismatch,
} from '../../../../src/audit/rules/owner-mismatch.ts';
import { casesOfReferences } from '../../../support/findings.ts';

const collected = 'deleted on the next pass (GC-22.13)';
const removed = 'reference removed (GC-22.11)';
const never = 'never collected (GC-30)';
const unknown = 'unknown because an API could not be read (GC-27)';

describe('missing-owner', () => {
  const finding = 'Pod web-1 > ReplicaSet gone: there is no ReplicaSet gone in namespace shop';
  const reader = 'ClusterRole reader > Node node-a: there is no Node node-a';
  const list = 'Pod web-1 > PodList x: PodList is a list, and a GET of one finds nothing';
  const request =
    'Pod web-1 > Binding x: Binding objects cannot be read back, so none is ever found';
  const role = 'keep it: remove the reference; it then stays until it is deleted by hand';
  const withoutA = (kind: string) =>
    `${role}, and nothing manages it: no ${kind} replaces it when it fails or its node goes, unless one with a matching selector adopts it`;
  const keep = withoutA('ReplicaSet');
  const off =
    'the garbage collector does not run here, as --controllers leaves garbage-collector-controller off';
  const go = 'let it go: the garbage collector deletes it';
  const spared = 'remove the reference; another owner keeps the object';
  casesOfReferences(
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
    a pod whose ReplicaSet is gone | pod <- gone | | ${finding} | ${collected} | ${go}; or ${keep}
    beside an owner that lives, the reference is removed | pod <- live, gone; live | | ${finding} | ${removed} | ${spared}
        | 1: removed
    beside one that freezes the object, nothing happens ever | pod <- gone, frozen | | ${finding} | ${never}
        | let it go: it stays as long as another of its references cannot be looked up; or ${keep}
    beside an owner that was not read, what happens is unknown | pod <- gone, secret | unread: [secrets] | ${finding} | ${unknown}
        | ${go} if its other owners are gone, which was not read; or ${keep}
    beside one that lives and one that was not read | pod <- gone, secret, live; live | unread: [secrets]
        | ${finding} | kept only by another owner (GC-27) | ${spared} | 0: removed
    where no garbage collector runs | pod <- gone | controllers: ["*", -garbagecollector] | ${finding} | never collected (GC-78)
        | let it go: it stays: there is no ReplicaSet gone in namespace shop; but ${off}; or ${keep}
    an object on its way out stays on it | pod {deleting: true} <- gone | | ${finding} | already being deleted (GC-22.1)
        | none: it is being deleted already, and that cannot be undone
    an Event is not watched, so it is never collected | note <- gone | | ${finding.replace('Pod web-1', 'Event note')}
        | never collected (GC-8) | let it go: it stays: the garbage collector does not watch Event objects; or ${role}
    a cluster-scoped owner            | role <- node | | ${reader} | ${collected} | ${go}; or ${role}
    a list                            | pod <- list | | ${list} | ${collected} | ${go}; or ${withoutA('PodList')}
    a kind that is only a request     | pod <- binding | | ${request} | ${collected} | ${go}; or ${withoutA('Binding')}
    not where all live                | pod <- live!, rack; live; rack
    not where it waits                | pod <- waiting; waiting
    not where it was recreated        | pod <- stale; live
    not where it has another name     | pod <- misnamed; live
    not where it is in another namespace | pod <- vault; vault
    not where its kind is not served  | pod <- frozen
    not where its kind was not read   | pod <- settings | unread: [configmaps]
    `,
  );
});

describe('owner-uid-mismatch', () => {
  const because =
    'the ReplicaSet web in namespace shop has another uid: the owner was deleted, and one with the same name created';
  const finding = `Pod web-1 > ReplicaSet web: ${because}`;
  const fix = 'point the reference at the ReplicaSet that exists now (uid uid-replicaset-shop-web)';
  const fixed = `${fix} | 0: uid=uid-replicaset-shop-web`;
  casesOfReferences(
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
    a pod of the ReplicaSet that was there before is deleted | pod <- stale; web | | ${finding} | ${collected} | ${fixed}
    beside an owner that lives, the reference is removed | pod <- stale, node; web; node | | ${finding} | ${removed} | ${fixed}
    an object that names a former self is not pointed at itself | web <- stale | | ReplicaSet web > ReplicaSet web: ${because}
        | ${collected} | remove the reference; it names the object itself | 0: removed
    not where the uid is right            | pod <- web; web
    not where another one has it          | pod <- misnamed; web; blue
    not where there is none of that name  | pod <- lost; web
    not where its manifest was never applied, and has none | pod <- stale; draft
    `,
  );
});

describe('owner-name-mismatch', () => {
  const finding =
    'Pod web-1 > ReplicaSet bleu: the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu';
  const fixed = 'name the owner as apps/v1 ReplicaSet shop/blue | 0: name=blue';
  const scaler = 'autoscaling/v2 HorizontalPodAutoscaler shop/web';
  casesOfReferences(
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
    a misspelt owner is no owner | pod <- bleu; blue | | ${finding} | ${collected} | ${fixed}
    not even if its name is that of another one | pod <- bleu; blue; bleu | | ${finding} | ${collected} | ${fixed}
    named rightly as well: the patch by uid takes both | pod <- bleu, blue; blue | | ${finding} | ${removed} | ${fixed}
    in another version that is served it is the same kind | pod <- old; scaler |
        | Pod web-1 > HorizontalPodAutoscaler wbe: the uid is that of ${scaler}, but the reference says wbe
        | ${collected} | name the owner as ${scaler} | 0: apiVersion=autoscaling/v2 name=web
    not where the name is right          | pod <- blue; blue
    not where the kind is wrong          | pod <- kind; blue
    not where it is in another namespace | pod <- abroad; vault
    not where its version is not served  | pod <- frozen; blue
    `,
  );
});

describe('owner-kind-mismatch', () => {
  const says = 'the uid is that of apps/v1 ReplicaSet shop/web, but the reference says';
  const fix = 'name the owner as apps/v1 ReplicaSet shop/web';
  casesOfReferences(
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
    a uid under the wrong kind is no owner | pod <- deployment; web | | Pod web-1 > Deployment web: ${says} apps/v1 Deployment web
        | ${collected} | ${fix} | 0: kind=ReplicaSet
    the fix puts group and name right as well | pod <- secret; web | | Pod web-1 > Secret x: ${says} v1 Secret x
        | ${collected} | ${fix} | 0: apiVersion=apps/v1 kind=ReplicaSet name=web
    a list of its kind is another kind | pod <- list; web | | Pod web-1 > ReplicaSetList web: ${says} apps/v1 ReplicaSetList web
        | ${collected} | ${fix} | 0: kind=ReplicaSet
    a cluster-scoped object cannot be given a namespaced owner | role <- node; web |
        | ClusterRole reader > Node web: ${says} v1 Node web
        | ${collected} | remove the reference | 0: removed
    not where it is in lower case        | pod <- lower; web
    not where the name is wrong          | pod <- misnamed; web
    not where it is in another namespace | pod <- abroad; vault
    not where its kind is not served     | pod <- frozen; web
    `,
  );
});

describe('cross-namespace-owner', () => {
  const finding =
    "Pod web-1 > Secret vault: the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only";
  const fixed =
    'remove the reference; tie the two together with a label and a finalizer of the owner instead | 0: removed';
  casesOfReferences(
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
    an owner in another namespace is none | pod <- vault; vault | | ${finding} | ${collected} | ${fixed}
    not even if one of that kind and name is in the own one | pod <- vault; vault; near | | ${finding} | ${collected} | ${fixed}
    beside an owner that lives, the reference is removed | pod <- vault, web; vault; web | | ${finding} | ${removed} | ${fixed}
    on a frozen object it blocks the deletion of that owner | pod <- vault!, frozen; vault | | ${finding}
        | never collected, blocks a foreground deletion for ever (GC-30) | ${fixed}
    not where they are in the own namespace or in none | pod <- rack, near; rack; near
    not where it is gone                               | pod <- gone; vault
    not where the dependent is cluster-scoped          | role <- vault; vault
    not where the kind is cluster-scoped               | role <- node; vault
    `,
  );
});

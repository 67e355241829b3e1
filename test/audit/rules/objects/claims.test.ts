import { describe, expect, test } from 'vitest';
import { claimRetentionMismatch, orphanedClaim } from '../../../../src/audit/rules/claims.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('claim-retention-mismatch', () => {
  const policy = (whenDeleted: string, whenScaled = 'Retain') =>
    `facts: {replicas: 1, volumeClaimTemplates: [{name: data}], persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}}`;
  const claim = 'PersistentVolumeClaim data-db-';
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        claimRetentionMismatch,
        `
    set    | StatefulSet db | {${policy('Delete')}}
    kept   | StatefulSet db | {${policy('Retain')}}
    scaled | StatefulSet db | {${policy('Retain', 'Delete')}}
    pod    | Pod db-1       | {under: set}
    gone   | StatefulSet db | {uid: of-an-earlier-set}
    other  | ConfigMap x
    c0     | ${claim}0
    c1     | ${claim}1
    c3     | ${claim}3
    log    | PersistentVolumeClaim logs-db-3
    `,
        `
    no owner, which the controller puts right | set; c0
    an owner too many | kept; c0 {under: set}
    unless it is off | set; c0 | settings: {controllers: ["*", -statefulset]}
    an owner that it never sets | set; c3
    another controller | set; other; c0 {under: other}
    not where the set owns it | set; c0 {under: set}
    not where no object is to own it | kept; c0; c3
    not where its pod owns it | scaled; pod; c1 {under: pod}
    not where an earlier set owns it | set; c0 {under: gone}
    not where the set is being deleted | set {deleting: true}; c0
    not where it is of no template | set; log
    `,
      ),
    ).toMatchInlineSnapshot(`
      "no owner, which the controller puts right
        PersistentVolumeClaim data-db-0: StatefulSet db has whenScaled Retain and whenDeleted Delete: the claim is to be owned by StatefulSet db
        with StatefulSet db
        so: the claim goes or stays by its owners; the statefulset controller puts them right when it next looks at the set
        $ kubectl describe statefulset.apps/db -n shop
      an owner too many
        PersistentVolumeClaim data-db-0: StatefulSet db has whenScaled Retain and whenDeleted Retain: the claim is to be owned by no object
        with StatefulSet db
        so: the claim goes or stays by its owners; the statefulset controller puts them right when it next looks at the set
        $ kubectl describe statefulset.apps/db -n shop
      unless it is off
        PersistentVolumeClaim data-db-0: StatefulSet db has whenScaled Retain and whenDeleted Delete: the claim is to be owned by StatefulSet db
        with StatefulSet db
        so: the claim goes or stays by its owners: statefulset-controller is switched off
        $ kubectl describe statefulset.apps/db -n shop
      an owner that it never sets
        PersistentVolumeClaim data-db-3: StatefulSet db has whenScaled Retain and whenDeleted Delete, but the claim has no owner: its pod was gone before the policy said so
        with StatefulSet db
        so: never collected: the claim stays when the set is deleted
        $ kubectl delete persistentvolumeclaim/data-db-3 -n shop
      another controller
        PersistentVolumeClaim data-db-0: StatefulSet db has whenScaled Retain and whenDeleted Delete, but the claim is controlled by ConfigMap x
        with StatefulSet db
        so: never collected: the claim stays when the set is deleted
        $ kubectl delete persistentvolumeclaim/data-db-0 -n shop
      not where the set owns it
      not where no object is to own it
      not where its pod owns it
      not where an earlier set owns it
      not where the set is being deleted
      not where it is of no template"
    `);
  });
});

describe('orphaned-claim', () => {
  const scratch = 'web-6c4f9d8b7c-x7k2p-scratch';
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        orphanedClaim,
        `
    set   | StatefulSet db                  | {facts: {volumeClaimTemplates: [{name: data}]}}
    claim | PersistentVolumeClaim data-db-0 | {facts: {phase: Bound}, labels: {app: db}}
    ofPod | PersistentVolumeClaim ${scratch} | {facts: {phase: Bound}}
    pod   | Pod job
    web   | Pod web-6c4f9d8b7c-x7k2p        | {facts: {volumes: [{name: scratch, ephemeral: true}]}}
    `,
        `
    one of a StatefulSet | claim; set {facts: {volumeClaimTemplates: [{name: logs}]}}
    one of a pod with an ephemeral volume | ofPod
    not one that has an owner | claim {by: set}
    not one that has no labels | claim {labels: null}
    not one that is not bound | claim {facts: {phase: Pending}}
    not one that is being deleted | claim {deleting: true}
    not one that Helm applied | claim {annotations: {meta.helm.sh/release-name: db}}
    not one of a set, whatever its replicas | claim; set
    not one of a set of which only metadata was read | claim; set {facts: null}
    not one that is mounted | claim; pod {facts: {volumes: [{name: v, claimName: data-db-0}]}}
    not a living pod's | ofPod; web
    unknown where of pods only metadata was read | claim; pod
    `,
      ),
    ).toMatchInlineSnapshot(`
      "one of a StatefulSet
        PersistentVolumeClaim data-db-0: it is named as the claim of a StatefulSet, and no such set exists; no pod mounts it, and nothing owns it
        likely, $ kubectl describe persistentvolumeclaim/data-db-0 -n shop
      one of a pod with an ephemeral volume
        PersistentVolumeClaim web-6c4f9d8b7c-x7k2p-scratch: it is named as a pod's ephemeral volume, and no such pod exists; no pod mounts it, and nothing owns it
        likely, $ kubectl describe persistentvolumeclaim/web-6c4f9d8b7c-x7k2p-scratch -n shop
      not one that has an owner
      not one that has no labels
      not one that is not bound
      not one that is being deleted
      not one that Helm applied
      not one of a set, whatever its replicas
      not one of a set of which only metadata was read
      not one that is mounted
      not a living pod's
      unknown where of pods only metadata was read
        1 not checked: only metadata of pods was read"
    `);
  });
});

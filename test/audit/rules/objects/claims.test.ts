import { describe } from 'vitest';
import { claimRetentionMismatch, orphanedClaim } from '../../../../src/audit/rules/claims.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

describe('claim-retention-mismatch', () => {
  const policy = (whenDeleted: string, whenScaled = 'Retain') =>
    `facts: {replicas: 1, volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}}`;
  const [claim, related] = ['PersistentVolumeClaim data-db-', 'with StatefulSet db'];
  const keeps = 'StatefulSet db has whenScaled Retain and whenDeleted';
  const owned = `${claim}0: ${keeps} Delete: the claim is to be owned by StatefulSet db`;
  const byOwners = 'so: the claim goes or stays by its owners';
  const later = `${byOwners}; the statefulset controller puts them right when it next looks at the set`;
  const never = 'so: never collected: the claim stays when the set is deleted';
  const look = '$ kubectl describe statefulset.apps/db -n shop';
  const remove = (name: string) => `$ kubectl delete persistentvolumeclaim/${name} -n shop`;
  casesOfRule(
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
    no owner, which the controller puts right | set; c0 | | ${owned} | ${related} | ${later} | ${look}
    an owner too many | kept; c0 {under: set} | | ${claim}0: ${keeps} Retain: the claim is to be owned by no object
        | ${related} | ${later} | ${look}
    unless it is off | set; c0 | settings: {controllers: ["*", -statefulset]}
        | ${owned} | ${related} | ${byOwners}: statefulset-controller is switched off | ${look}
    an owner that it never sets | set; c3 |
        | ${claim}3: ${keeps} Delete, but the claim has no owner: its pod was gone before the policy said so
        | ${related} | ${never} | ${remove('data-db-3')}
    another controller | set; other; c0 {under: other} |
        | ${claim}0: ${keeps} Delete, but the claim is controlled by ConfigMap x
        | ${related} | ${never} | ${remove('data-db-0')}
    not where the set owns it              | set; c0 {under: set}
    not where no object is to own it       | kept; c0; c3
    not where its pod owns it              | scaled; pod; c1 {under: pod}
    not where an earlier set owns it       | set; c0 {under: gone}
    not where the set is being deleted     | set {deleting: true}; c0
    not where it is of no template         | set; log
    `,
  );
});

describe('orphaned-claim', () => {
  const scratch = 'web-6c4f9d8b7c-x7k2p-scratch';
  const alone = 'no pod mounts it, and nothing owns it';
  const fix = (name: string) => `likely, $ kubectl describe persistentvolumeclaim/${name} -n shop`;
  casesOfRule(
    orphanedClaim,
    `
    set   | StatefulSet db                  | {facts: {volumeClaimTemplates: [data]}}
    claim | PersistentVolumeClaim data-db-0 | {facts: {phase: Bound}, labels: {app: db}}
    ofPod | PersistentVolumeClaim ${scratch} | {facts: {phase: Bound}}
    pod   | Pod job
    web   | Pod web-6c4f9d8b7c-x7k2p        | {facts: {volumes: [{name: scratch, ephemeral: true}]}}
    `,
    `
    one of a StatefulSet | claim; set {facts: {volumeClaimTemplates: [logs]}} |
        | PersistentVolumeClaim data-db-0: it is named as the claim of a StatefulSet, and no such set exists; ${alone}
        | ${fix('data-db-0')}
    one of a pod with an ephemeral volume | ofPod |
        | PersistentVolumeClaim ${scratch}: it is named as a pod's ephemeral volume, and no such pod exists; ${alone}
        | ${fix(scratch)}
    not one that has an owner                       | claim {by: set}
    not one that has no labels                      | claim {labels: null}
    not one that is not bound                       | claim {facts: {phase: Pending}}
    not one that is being deleted                   | claim {deleting: true}
    not one that Helm applied                       | claim {annotations: {meta.helm.sh/release-name: db}}
    not one of a set, whatever its replicas         | claim; set
    not one of a set of which only metadata was read | claim; set {facts: null}
    not one that is mounted                         | claim; pod {facts: {volumes: [{name: v, claimName: data-db-0}]}}
    not a living pod's                              | ofPod; web
    unknown where of pods only metadata was read    | claim; pod | | 1 not checked: only metadata of pods was read
    `,
  );
});

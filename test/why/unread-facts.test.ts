import { describe, expect, test } from 'vitest';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { snapshotOf } from '../support/builders.ts';
import { stepOf } from '../support/fix-step.ts';
import { objectsFrom } from '../support/objects-from.ts';
import { rowsOf } from '../support/rows.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const recordsOf = objectsFrom(`
  claim    | PersistentVolumeClaim c1 | {deleting: true, finalizers: [kubernetes.io/pvc-protection]}
  volume   | PersistentVolume v1      | {deleting: true, finalizers: [kubernetes.io/pv-protection]}
  unread   | Pod web
  other    | Pod other                | {facts: {nodeName: worker}}
  user     | Pod db                   | {facts: {nodeName: worker, volumes: [{name: data, claimName: c1}]}}
  late     | Pod late                 | {deleting: true, deletionGracePeriodSeconds: 30}
  worker   | Node worker
  old      | Namespace old            | {deleting: true}
  held     | ConfigMap held           | {deleting: true, finalizers: [finalizer.keda.sh]}
  keda     | Deployment keda-operator
  web      | Deployment web
  read     | Deployment web           | {facts: {replicas: 1, containers: []}}
  manager  | Lease kube-system/kube-controller-manager
`);
const diagnosed = (there: string, unread: readonly string[] = []) => {
  const records = recordsOf(there);
  const [asked] = records;
  if (!asked) throw new Error('nothing is asked');
  const origin = { kind: 'files', paths: [] } as const;
  return diagnosesIn(snapshotOf(records, { unread, origin }), now, diagnose)(asked);
};

const remove = (from: string, finalizer: string) =>
  `PATCH ${from} test /metadata/finalizers/0 ${finalizer}, remove /metadata/finalizers/0`;
const rows = rowsOf(`
  a claim may be used by a pod of which only metadata was read | claim; unread | | unknown | claim-in-use
  although others were read | claim; unread; other | | unknown | claim-in-use
  it may be used where no pods were read | claim | pods | unknown | claim-in-use
  it is used by a pod that was read, whatever the others do | claim; unread; user | | stuck | claim-in-use
  it is free when all pods were read and none uses it | claim; other | | stuck | claim-unused
      | ${remove('PersistentVolumeClaim/c1', 'kubernetes.io/pvc-protection')}
  a volume of which metadata was read may be bound | volume | | unknown | volume-bound
  so may one without a status | volume {facts: {persistentVolumeReclaimPolicy: Retain}} | | unknown | volume-bound
  one that was read as Released is free | volume {facts: {phase: Released}} | | stuck | volume-unbound
      | ${remove('PersistentVolume/v1', 'kubernetes.io/pv-protection')}
  an overdue pod may be on a node | late | | unknown | pod-kubelet
  or on one that was not read | late {facts: {nodeName: worker}}; worker | | unknown | pod-kubelet
  a namespace may hold more finalizers than were read | old | | unknown | namespace-unread
  a program of which only metadata was read is not called down | held; keda | | unknown | finalizer-controller-unknown
  it may be any workload whose images were not read | held; web | | unknown | finalizer-controller-unknown
  and none that was read | held; read | | stuck | finalizer-controller-missing
      | ${remove('ConfigMap/held', 'finalizer.keda.sh')}
`);
const foundOf = (there = '', unread = '') => diagnosedOf(diagnosed(there, unread ? [unread] : []));

describe('what was not read is not taken for absent', () => {
  test.each(rows)('%s', (_, there, unread, ...said) => {
    const { state, blockers, fix } = foundOf(there, unread);
    const causes = blockers.map(({ cause }) => cause);
    expect([state, ...causes, ...(fix ? [stepOf(fix)] : [])]).toEqual(said);
  });

  test('and it says what was not read', () => {
    const reasons = rows.flatMap(([title, there, unread]) =>
      foundOf(there, unread).blockers.map(({ because }) => `${title}: ${because}`),
    );
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "a claim may be used by a pod of which only metadata was read: kubernetes.io/pvc-protection waits for the pods that use the claim; what the pods use was not read
      although others were read: kubernetes.io/pvc-protection waits for the pods that use the claim; what the pods use was not read
      it may be used where no pods were read: kubernetes.io/pvc-protection waits for the pods that use the claim; pods were not read
      it is used by a pod that was read, whatever the others do: it uses the claim as volume data (phase Unknown, node worker) and is not being deleted
      it is free when all pods were read and none uses it: no pod on a node uses the claim, but the PVC protection controller has not removed kubernetes.io/pvc-protection
      a volume of which metadata was read may be bound: kubernetes.io/pv-protection waits while the volume is bound to a claim; whether it is was not read
      so may one without a status: kubernetes.io/pv-protection waits while the volume is bound to a claim; whether it is was not read
      one that was read as Released is free: the volume is not bound (phase Released), but the PV protection controller has not removed kubernetes.io/pv-protection
      an overdue pod may be on a node: it was not read which node the pod is on, whose kubelet has to confirm that the containers stopped
      or on one that was not read: the kubelet of node worker has to confirm that the containers stopped; the node could not be read
      a namespace may hold more finalizers than were read: no objects remain, but its spec.finalizers were not read
      a program of which only metadata was read is not called down: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; whether KEDA operator runs is not known: the status of Deployment shop/keda-operator was not read
      it may be any workload whose images were not read: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; whether KEDA operator runs is not known: of workloads or pods only metadata was read
      and none that was read: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator"
    `);
  });

  test('kube-controller-manager among it', () => {
    const chain = JSON.stringify(diagnosed('claim; manager; other'));
    expect(chain).toContain('controller-manager-unknown');
  });
});

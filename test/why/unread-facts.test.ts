import { describe, expect, test } from 'vitest';
import { diagnosedOf } from '../../src/output/documents/why.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { snapshotOf } from '../support/builders.ts';
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

const protects =
  'claim-in-use: kubernetes.io/pvc-protection waits for the pods that use the claim;';
const bound =
  'volume-bound: kubernetes.io/pv-protection waits while the volume is bound to a claim; whether it is was not read';
const unused =
  'claim-unused: no pod on a node uses the claim, but the PVC protection controller has not removed kubernetes.io/pvc-protection';
const unbound =
  'volume-unbound: the volume is not bound (phase Released), but the PV protection controller has not removed kubernetes.io/pv-protection';
const keda = (cause: string, because: string) =>
  `finalizer-controller-${cause}: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; ${because}`;
const doubt = (why: string) => keda('unknown', `whether KEDA operator runs is not known: ${why}`);
const missing = keda(
  'missing',
  'no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator',
);
const remove = (finalizer: string, from: string) =>
  `remove the finalizer ${finalizer} from ${from}`;
const rows = rowsOf(`
  a claim may be used by a pod of which only metadata was read | claim; unread | | unknown
      | ${protects} what the pods use was not read
  although others were read | claim; unread; other | | unknown | ${protects} what the pods use was not read
  it may be used where no pods were read | claim | pods | unknown | ${protects} pods were not read
  it is used by a pod that was read, whatever the others do | claim; unread; user | | stuck
      | claim-in-use: it uses the claim as volume data (phase Unknown, node worker) and is not being deleted
  it is free when all pods were read and none uses it | claim; other | | stuck | ${unused}
      | ${remove('kubernetes.io/pvc-protection', 'PersistentVolumeClaim c1')}
  a volume of which metadata was read may be bound | volume | | unknown | ${bound}
  so may one without a status | volume {facts: {persistentVolumeReclaimPolicy: Retain}} | | unknown | ${bound}
  one that was read as Released is free | volume {facts: {phase: Released}} | | stuck | ${unbound}
      | ${remove('kubernetes.io/pv-protection', 'PersistentVolume v1')}
  an overdue pod may be on a node | late | | unknown
      | pod-kubelet: it was not read which node the pod is on, whose kubelet has to confirm that the containers stopped
  or on one that was not read | late {facts: {nodeName: worker}}; worker | | unknown
      | pod-kubelet: the kubelet of node worker has to confirm that the containers stopped; the node could not be read
  a namespace may hold more finalizers than were read | old | | unknown
      | namespace-unread: nothing is left in it, but which entries its spec.finalizers still hold was not read
  a program of which only metadata was read is not called down | held; keda | | unknown
      | ${doubt('the status of Deployment shop/keda-operator was not read')}
  it may be any workload whose images were not read | held; web | | unknown
      | ${doubt('of workloads or pods only metadata was read')}
  and none that was read | held; read | | stuck | ${missing} | ${remove('finalizer.keda.sh', 'ConfigMap held')}
`);
describe('what was not read is not taken for absent', () => {
  test.each(rows)('%s', (_, there = '', unread = '', ...said) => {
    const { state, blockers, fix } = diagnosedOf(diagnosed(there, unread ? [unread] : []));
    const lines = blockers.map(({ cause, because }) => `${cause}: ${because}`);
    expect([state, ...lines, ...(fix ? [fix.does] : [])]).toEqual(said);
  });

  test('kube-controller-manager among it', () => {
    const chain = JSON.stringify(diagnosed('claim; manager; other'));
    expect(chain).toContain('controller-manager-unknown');
  });
});

import { expect, test } from 'vitest';
import { serviceAccountTokenType } from '../../../src/kube/facts/secret.ts';
import { gcHere } from '../../support/run-here.ts';
import { casesOfPlans, plansFrom } from './told.ts';

const running = '{facts: {nodeName: a, phase: Running, terminationGracePeriodSeconds: 30}}';
const made = (claim: string, policy: string) =>
  `{facts: {claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: ${claim}}, persistentVolumeReclaimPolicy: ${policy}, phase: Available}}`;
const token = `{annotations: {kubernetes.io/service-account.name: robot, kubernetes.io/service-account.uid: uid-serviceaccount-shop-robot}, facts: {secretType: ${serviceAccountTokenType}}}`;
const bound = (claim: string) =>
  `{annotations: {pv.kubernetes.io/provisioned-by: disk.csi.example.com}, facts: {claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: ${claim}, uid: uid-persistentvolumeclaim-shop-${claim}}, persistentVolumeReclaimPolicy: Delete, source: {csi: disk.csi.example.com}, phase: Bound}}`;
const waiting = (node: string, operator = 'In') =>
  `{under: log, facts: {nodeName: "", phase: Pending, affineNodes: [[{key: metadata.name, operator: ${operator}, values: [${node}]}]]}}`;
const ofSet = '{under: db, facts: {nodeName: "", phase: Running}}';
const scaling =
  'volumeClaimTemplates: [{name: data}], persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}';
const objects = `
  a         | Node a
  b         | Node b
  lease     | Lease kube-node-lease/a | {by: a}
  log       | DaemonSet log
  bare      | Pod bare           | ${running}
  log-x     | Pod log-x          | ${running.replace('{', '{under: log, ')}
  log-a     | Pod log-y          | ${waiting('a')}
  log-b     | Pod log-z          | ${waiting('b')}
  not-a     | Pod log-w          | ${waiting('a', 'NotIn')}
  db        | StatefulSet db     | {facts: {replicas: 1, ${scaling}}}
  db-0      | Pod db-0           | ${ofSet}
  db-1      | Pod db-1           | ${ofSet}
  of-db-1   | PersistentVolumeClaim data-db-1 | {facts: {volumeName: pv-2, phase: Bound}}
  of-claim  | PersistentVolume pv-2 | ${bound('data-db-1')}
  elsewhere | Pod elsewhere      | ${running.replace('nodeName: a', 'nodeName: b')}
  lost      | Pod lost           | ${running.replace('nodeName: a', 'nodeName: gone')}
  account   | ServiceAccount robot
  token     | Secret robot-token | ${token}
  secret    | Secret other
  service   | Service web        | {facts: {selector: {matchLabels: {}}}}
  endpoints | Endpoints web
  claim     | PersistentVolumeClaim data
      | {finalizers: [kubernetes.io/pvc-protection], facts: {volumeName: pv-1, phase: Bound}}
  volume    | PersistentVolume pv-1 | ${bound('data')}
  sidecar   | Deployment csi-provisioner | {facts: {replicas: 1, readyReplicas: 1}}
  scaled    | Deployment csi-provisioner | {facts: {replicas: 0}}
  marked    | PersistentVolume pv-1 | ${bound('data').replace('{', '{finalizers: [external-provisioner.volume.kubernetes.io/finalizer], ').replace('Bound', 'Released')}
  pending   | PersistentVolumeClaim data  | {facts: {phase: Pending}}
  reserved  | PersistentVolume reserved   | ${made('data', 'Delete')}
  retained  | PersistentVolume retained   | ${made('data', 'Retain')}
  other     | PersistentVolume other      | ${made('another', 'Delete')}
  crd       | CustomResourceDefinition widgets.example.com
  one       | Widget one
  two       | Widget other/two   | {finalizers: [ex.com/cleanup], deleting: true}
  map       | ConfigMap unrelated
`;
const bareVolume = 'PersistentVolumeClaim data: deleted | PersistentVolume';
const definition = 'CustomResourceDefinition widgets.example.com: terminating, then deleted';
casesOfPlans(
  ({ objects: all }) =>
    all.map(
      ({ kind, name, fate, then, likely }) =>
        `${kind} ${name}: ${fate}${then ? `, then ${then}` : ''}${likely ? ' (likely)' : ''}`,
    ),
  objects,
  `
  with a Node go its Lease and, by pod garbage collection, all pods that are bound to it, and those that a DaemonSet has for it
      | a; b; lease; log; bare; log-x; log-a; log-b; not-a; elsewhere |
      | Node a: deleted | Lease a: deleted | Pod bare: deleted | Pod log-x: deleted | Pod log-y: deleted
  a pod that goes may have held up that its StatefulSet has fewer, and that their claims go | db-0; db; db-1; of-db-1; of-claim |
      | Pod db-0: recreated | PersistentVolume pv-2: unknown | PersistentVolumeClaim data-db-1: unknown | Pod db-1: unknown
  one that is too many has not | db-1; db; db-0; of-db-1; of-claim | | Pod db-1: deleted | PersistentVolumeClaim data-db-1: kept
  a pod on a Node that does not exist goes | lost; a | | Pod lost: deleted
  with a ServiceAccount goes the Secret of its token | account; token; secret |
      | ServiceAccount robot: deleted | Secret robot-token: deleted
  with a Service go its Endpoints | service; endpoints | | Service web: deleted | Endpoints web: deleted
  the volume of a claim goes with its data where a provisioner deletes it, which is likely
      | claim; a; volume; bare; sidecar | | ${bareVolume} pv-1: deleted (likely)
  which is unknown where no provisioner is found | claim; volume; bare | | ${bareVolume} pv-1: unknown
  or the one that was found does not run | claim; volume; scaled | | ${bareVolume} pv-1: unknown
  a released volume that is deleted itself waits for the finalizer of its provisioner | marked; sidecar |
      | PersistentVolume pv-1: terminating, then deleted
  and goes then where its claim is held | claim {finalizers: [example.com/backup]}; volume; sidecar |
      | PersistentVolumeClaim data: terminating, then deleted | PersistentVolume pv-1: kept, then deleted (likely)
  a volume that is made for a claim may be bound to it, and go with it | pending; reserved; retained; other |
      | ${bareVolume} reserved: unknown
  a definition goes with all its instances, those too that are going already | crd; one; two; map |
      | ${definition} | Widget two: terminating, then deleted | Widget one: deleted
  `,
);

test('a plan says why a volume is deleted later, or perhaps', () => {
  const reasonsOf = (there: string) => plansFrom(objects)(there).objects[1]?.because;
  const cases = ['claim {finalizers: [example.com/backup]}; volume; sidecar', 'pending; reserved'];
  expect(cases.map(reasonsOf).join('\n')).toMatchInlineSnapshot(`
    "nothing happens to it; when the finalizers that it waits for are removed: its claim shop/data was deleted, and its reclaim policy is Delete: provisioner disk.csi.example.com deletes it, if it runs
    it is made for claim shop/data: if it is bound before that goes, it is deleted"
  `);
});

test.each([
  ['shop', 76],
  ['payments', 30],
])(
  'namespace %s of the example is deleted with all %i objects, and none is recreated',
  async (name, count) => {
    const line = `delete ns/${name} -o json --from examples/clusters/shop.json.gz`;
    const { objects } = JSON.parse((await gcHere(line)).stdout) as {
      readonly objects: readonly {
        readonly namespace: string;
        readonly fate: string;
        readonly then?: string;
      }[];
    };
    const inside = objects.filter(({ namespace }) => namespace === name);
    const ending = inside.filter(({ fate, then = fate }) => then === 'deleted');
    expect([inside.length, ending.length]).toEqual([count, count]);
  },
);

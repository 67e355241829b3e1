import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { clusterRules } from '../../src/audit/rules/rules.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import type { AuditReport } from '../../src/output/documents/audit.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { hasUsefulFirstPass } from '../support/played-minor.ts';
import { gcHere } from '../support/run-here.ts';
import { expected, objects, threshold } from './audit-faults/workloads.ts';

/** Every rule about what collectors leave or take, on its fault; then the real controllers act. */
const controllers = [
  'pod-garbage-collector-controller',
  'certificatesigningrequest-cleaner-controller',
  'serviceaccount-token-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'cronjob-controller',
  'endpointslice-controller',
  'ephemeral-volume-controller',
  'persistentvolume-binder-controller',
  'garbage-collector-controller',
];

let report: AuditReport;
let before: Map<string, ObjectRecord>;
let after: Map<string, ObjectRecord>;

const nameOf = ({ type, name }: ObjectRecord) => `${type.kind} ${name}`;

async function readAll(): Promise<Map<string, ObjectRecord>> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { records } = await fromCluster(client, {}, { facts: true });
  client.close();
  return new Map(records.map((record) => [nameOf(record), record]));
}

const plane = await ownControlPlane({ controllers: 'none', objects });
beforeAll(async () => {
  const first = clusterRules.findIndex(({ id }) => id === 'orphaned-replicaset');
  const rules = clusterRules
    .slice(first)
    .map(({ id }) => `--rule ${id}`)
    .join(' ');
  const { stdout } = await gcHere(`audit -o json ${rules}`, { KUBECONFIG: plane.kubeconfigPath });
  report = JSON.parse(stdout);
  before = await readAll();
  // Controllers start late, so that the cleaner of requests sees something at once.
  await plane.startControllers(controllers, [
    `--terminated-pod-gc-threshold=${threshold}`,
    ...(hasUsefulFirstPass ? ['--controller-start-interval=4s'] : []),
  ]);
  // The pod of a missing Node goes last: 40 to 80 seconds after the start, later on a slow machine.
  const deadline = Date.now() + 240_000;
  for (;;) {
    await sleep(1000);
    const { status } = await plane.request('/api/v1/namespaces/left-over/pods/homeless');
    if (status === 404 || Date.now() > deadline) break;
  }
  after = await readAll();
});

test('each rule fires exactly where its fault is', () => {
  const found = report.items.map(({ rule, object }) => `${rule}: ${object.kind} ${object.name}`);
  expect(found.sort()).toEqual(expected.map(({ rule, object }) => `${rule}: ${object}`).sort());
  expect(report.notChecked).toEqual([]);
});

test('what is to be deleted is, and what is never collected is still there', () => {
  const outcome = (object: string) => (after.has(object) ? 'there' : 'deleted');
  const seen = expected.filter(
    ({ object }) =>
      hasUsefulFirstPass || !['CertificateSigningRequest denied', 'Secret marked'].includes(object),
  );
  expect(seen.map(({ object }) => [object, outcome(object)])).toEqual(
    seen.map(({ object, end }) => [object, end === 'deleted' ? 'deleted' : 'there']),
  );
});

test('of the ended pods those go that the finding names, and no others', () => {
  const finding = report.items.find(({ rule }) => rule === 'ended-pods-threshold');
  expect(finding).toMatchObject({
    confidence: 'certain',
    message:
      '5 pods of the cluster have ended, and its terminated-pod-gc-threshold is 3; namespace left-over has 5 of them, and the next pass deletes 2',
    related: [{ name: 'ended-5' }, { name: 'ended-4' }],
  });
  const left = [...after.keys()].filter((name) => name.startsWith('Pod ended'));
  expect(left).toEqual(['Pod ended-1', 'Pod ended-2', 'Pod ended-3']);
});

test('what is to be changed is', () => {
  const ledger = { kind: 'StatefulSet', name: 'ledger', controller: true };
  expect({
    before: before.get('PersistentVolumeClaim data-ledger-0')?.ownerReferences,
    claim: after.get('PersistentVolumeClaim data-ledger-0')?.ownerReferences,
    never: after.get('PersistentVolumeClaim data-ledger-3')?.ownerReferences,
    token: Object.keys(after.get('Secret unused')?.labels ?? {}),
    volume: after.get('PersistentVolume lost')?.facts?.phase,
    available: after.get('PersistentVolume unclaimed')?.facts?.phase,
  }).toMatchObject({
    before: [],
    claim: [ledger],
    never: [],
    token: ['kubernetes.io/legacy-token-invalid-since'],
    volume: 'Failed',
    available: 'Available',
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { machines, namespaces, nodeNames, workloadsOf } from './ordinary-cluster.ts';
import { playKubelets } from './stand-in-kubelet.ts';

/** Teams apply ordinary workloads, the real controllers make of them what they do, and nothing of it is a finding. */
const plane = await ownControlPlane({ controllers: 'none', objects: machines(Date.now()) });
beforeAll(async () => {
  await plane.startControllers(
    ['*'],
    // No kubelet renews the Leases of the Nodes.
    ['--leader-elect=true', '--node-monitor-grace-period=10m'],
  );
  await Promise.all(
    namespaces.map(async (name) => {
      await plane.make(`Namespace ${name}`);
      for (const object of workloadsOf(name)) await plane.create(`${object.kind} ${name}/`, object);
    }),
  );
  await settled();
  // A second revision of one app in each namespace, and a run of each CronJob as its owner makes it.
  for (const name of namespaces) {
    const template = { metadata: { annotations: { revision: '2' } } };
    await plane.patch(`Deployment ${name}/web-0`, { spec: { template } });
    const { uid } = (await plane.get(`CronJob ${name}/report`)).metadata;
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    const pod = { containers: [{ name: 'main', image: 'i' }], restartPolicy: 'Never' };
    await plane.make(`Job ${name}/report-1`, {
      metadata: { ownerReferences },
      spec: { template: { spec: pod } },
    });
  }
  await settled();
});

/** Until kubelets had nothing to do several times in a row. */
async function settled(): Promise<void> {
  const deadline = Date.now() + 240_000;
  for (let quiet = 0; quiet < 5; ) {
    quiet = (await playKubelets(plane, nodeNames)) === 0 ? quiet + 1 : 0;
    if (Date.now() > deadline)
      throw new Error(`not settled: ${plane.controllerLog().slice(-2000)}`);
    await sleep(300);
  }
}

test('an audit of 2,000 ordinary objects finds nothing, and everything was checked', async () => {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout, code, stderr } = await gcHere('audit -o json', env);
  const { items, verdict, notChecked, unknown, summary } = JSON.parse(stdout) as AuditReport;
  expect({ items, verdict, notChecked, unknown, summary, code }, stderr).toEqual({
    items: [],
    verdict: 'passed',
    notChecked: [],
    unknown: [],
    summary: { error: 0, warning: 0, info: 0, baseline: 0, waived: 0 },
    code: 0,
  });
});

test('the cluster is what it is to be', async () => {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { records } = await fromCluster(client, {}, { facts: true });
  client.close();
  const { length: teams } = namespaces;
  const count = (kind: string, phase?: string) =>
    records.filter(({ type, facts }) => type.kind === kind && (!phase || facts?.phase === phase))
      .length;
  expect({
    running: count('Pod', 'Running'),
    succeeded: count('Pod', 'Succeeded'),
    pods: count('Pod'),
    replicaSets: count('ReplicaSet'),
    slices: count('EndpointSlice'),
    bound: count('PersistentVolumeClaim', 'Bound'),
    claims: count('PersistentVolumeClaim'),
    revisions: count('ControllerRevision'),
    isLarge: records.filter(({ type }) => type.kind !== 'Event').length > 2000,
  }).toEqual({
    running: teams * (6 * 6 + 2 * 3 + 3),
    succeeded: teams * (4 * 2 + 1),
    pods: teams * 54,
    replicaSets: teams * 7,
    slices: teams * 7,
    bound: teams * 6,
    claims: teams * 6,
    revisions: teams * 3,
    isLarge: true,
  });
});

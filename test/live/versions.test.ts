import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import { csrCleaner } from '../../src/controllers/credentials/csr-cleaner.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import { cronJobHistory } from '../../src/controllers/jobs/cronjob-history.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { askingOf } from '../support/asking.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { playedMinor } from '../support/played-minor.ts';

const hour = 3_600_000;
const ago = (hours: number) => timestampOf(Date.now() - hours * hour);
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };

/** A Job that ended; its reference names the CronJob `nightly` and this uid. */
function job(name: string, owner: string, hours: number): KubeObject {
  const ended = { status: 'True', lastTransitionTime: ago(hours) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      creationTimestamp: ago(50),
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: owner, controller: true },
      ],
    },
    spec: {
      manualSelector: true,
      selector: { matchLabels: { job: name } },
      template: { metadata: { labels: { job: name } }, ...template },
    },
    status: { startTime: ago(hours + 1), conditions: [{ type: 'Complete', ...ended }] },
  };
}

const jobs = [
  job('own-0', 'now', 9),
  job('own-1', 'now', 8),
  job('own-2', 'now', 7),
  job('earlier-0', 'earlier', 9),
  job('earlier-1', 'earlier', 8),
];
const objects: KubeObject[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly', namespace: 'default', uid: 'now', creationTimestamp: ago(50) },
    spec: {
      schedule: '0 0 1 1 *',
      suspend: true,
      successfulJobsHistoryLimit: 1,
      concurrencyPolicy: 'Allow',
      jobTemplate: { spec: { template } },
    },
  },
  ...jobs,
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'approved', uid: 'uid-approved', creationTimestamp: ago(60) },
    spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'] },
    status: {
      conditions: [{ type: 'Approved', status: 'True', reason: 'r', lastUpdateTime: ago(50) }],
    },
  },
];

test(`what ${wantedVersion()} deletes otherwise than other versions is predicted (CJ-2, CSR-3)`, async () => {
  const plane = await startControlPlane({ controllers: 'none', objects });
  try {
    const client = await connect({ kubeconfig: plane.kubeconfigPath });
    const view = viewOf(await fromCluster(client, {}, { facts: true }));
    client.close();
    const told = [cronJobHistory, csrCleaner]
      .flatMap((one) => decideAll(one, view, defaultControllerSettings, Date.now()))
      .map(({ object }) => object.name)
      .sort();
    expect([view.minor, told]).toEqual([
      playedMinor,
      [
        ...(playedMinor >= 35 ? ['approved'] : []),
        ...(playedMinor >= 37 ? [] : ['earlier-0', 'earlier-1']),
        'own-0',
        'own-1',
      ],
    ]);
    const gone = async () => {
      const names = [
        ...(await plane.names('Job default/')),
        ...(await plane.names('CertificateSigningRequest ')),
      ];
      return ['approved', ...jobs.map(({ metadata }) => `${metadata.name}`)]
        .filter((name) => !names.includes(name))
        .sort();
    };
    await plane.startControllers(
      ['cronjob-controller', 'certificatesigningrequest-cleaner-controller'],
      // So that the cleaner of requests sees something at once (CSR-2).
      ['--controller-start-interval=3s'],
    );
    await eventually(
      `that ${told.join(', ')} are gone`,
      async () => (await gone()).length >= told.length,
      90,
    );
    expect(await gone()).toEqual(told);
  } finally {
    await plane.stop();
  }
});

const eviction = 'lifecycle.k8s.io/v1alpha1';
const evictionGate = '--feature-gates=EvictionRequestAPI=true';
const withEvictions = () =>
  startControlPlane({
    controllers: ['*'],
    controllerArgs: [evictionGate],
    apiServerArgs: [evictionGate, `--runtime-config=${eviction}=true`],
  });

/** Makes a Pod whose eviction the drain of example.com answers, if one does, and a request to evict it. */
async function askToEvict(plane: ControlPlane, name: string, responders: readonly object[]) {
  const { metadata } = await plane.make(`Pod default/${name}`, {
    spec: {
      containers: [{ name: 'web', image: 'example.com/web' }],
      evictionResponders: responders,
    },
  });
  await plane.make(`${eviction} EvictionRequest default/${name}`, {
    spec: {
      target: { pod: { name, uid: metadata.uid } },
      requester: 'example.com/upgrade',
      intent: 'Eviction',
    },
  });
}

const drain = { name: 'example.com/drain', priority: 10_000 };

test.runIf(playedMinor === 37)('nothing comes of an EvictionRequest in v1.37', async () => {
  const plane = await withEvictions();
  try {
    await askToEvict(plane, 'web', [drain]);
    await sleep(3000);
    expect(await plane.list(`${eviction} Eviction default/`)).toEqual([]);
    await plane.remove('Pod default/web');
    expect(await plane.isHealthy('Pod default/web')).toBe(false);
    const left = await plane.get(`${eviction} EvictionRequest default/web`);
    expect([left.metadata.ownerReferences, left.metadata.finalizers]).toEqual([
      undefined,
      undefined,
    ]);
  } finally {
    await plane.stop();
  }
});

test.runIf(playedMinor >= 38)(
  'an EvictionRequest of v1.38 deletes a Pod that no other program answers for, and owns its Eviction',
  async () => {
    const plane = await withEvictions();
    try {
      await askToEvict(plane, 'plain', []);
      await askToEvict(plane, 'web', [drain]);
      await eventually('that the Pod plain is gone', async () =>
        (await plane.isHealthy('Pod default/plain')) ? undefined : true,
      );
      expect(await plane.isHealthy('Pod default/web')).toBe(true);
      const { objects } = await askingOf(plane).json<Plan>(
        'delete evictionrequest.lifecycle.k8s.io/plain -n default --preview',
      );
      const planned = objects.map(({ kind, name }) => `${kind} ${name}`).sort();
      await plane.remove(`${eviction} EvictionRequest default/plain`);
      const evictions = async () =>
        (await plane.list(`${eviction} Eviction default/`)).map(({ metadata }) => metadata.name);
      const left = await eventually('that the Eviction of plain is gone', async () => {
        const names = await evictions();
        return names.length === 1 ? names : undefined;
      });
      expect(left).toEqual([expect.stringContaining('web')]);
      expect(planned).toEqual([expect.stringContaining('Eviction '), 'EvictionRequest plain']);
    } finally {
      await plane.stop();
    }
  },
);

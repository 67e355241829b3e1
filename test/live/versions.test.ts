import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import { csrCleaner } from '../../src/controllers/credentials/csr-cleaner.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import { cronJobHistory } from '../../src/controllers/jobs/cronjob-history.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { startControlPlane } from '../support/control-plane.ts';
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

test.runIf(playedMinor >= 37)('nothing comes of an EvictionRequest yet', async () => {
  const gate = '--feature-gates=EvictionRequestAPI=true';
  const plane = await startControlPlane({
    controllers: ['*'],
    controllerArgs: [gate],
    apiServerArgs: [gate, '--runtime-config=lifecycle.k8s.io/v1alpha1=true'],
  });
  try {
    const api = 'lifecycle.k8s.io/v1alpha1';
    const { metadata } = await plane.make('Pod default/web', {
      spec: {
        containers: [{ name: 'web', image: 'example.com/web' }],
        evictionResponders: [{ name: 'example.com/drain', priority: 10_000 }],
      },
    });
    const target = { pod: { name: 'web', uid: metadata.uid } };
    await plane.make(`${api} EvictionRequest default/web`, {
      spec: { target, requester: 'example.com/upgrade', intent: 'Eviction' },
    });
    await sleep(3000);
    expect(await plane.list(`${api} Eviction default/`)).toEqual([]);
    await plane.remove('Pod default/web');
    expect(await plane.isHealthy('Pod default/web')).toBe(false);
    const left = await plane.get(`${api} EvictionRequest default/web`);
    expect([left.metadata.ownerReferences, left.metadata.finalizers]).toEqual([
      undefined,
      undefined,
    ]);
  } finally {
    await plane.stop();
  }
});

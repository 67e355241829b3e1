import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { simulationSettings } from '../../src/controllers/settings/controller-settings.ts';
import type { SettingsReport } from '../../src/output/documents/settings.ts';
import { validDocument } from '../contract/valid-document.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { playedMinor } from '../support/played-minor.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type NodeEndpoint,
  type NodeTunnel,
  startNodeEndpoint,
  startNodeTunnel,
} from './node-endpoints.ts';

const manager = 'kube-controller-manager';
const folder = temporaryFolder();
let plane: ControlPlane;
let tunnel: NodeTunnel;
const kubelets: NodeEndpoint[] = [];

beforeAll(async () => {
  tunnel = await startNodeTunnel(folder);
  const egress = join(folder, 'egress.json');
  writeFileSync(egress, tunnel.egressConfiguration);
  plane = await startControlPlane({
    controllers: 'none',
    apiServerArgs: [
      `--egress-selector-config-file=${egress}`,
      '--kubelet-certificate-authority=ca.crt',
      '--event-ttl=2h',
      '--feature-gates=CoordinatedLeaderElection=true',
      '--runtime-config=coordination.k8s.io/v1beta1=true',
    ],
  });
});

afterAll(async () => {
  await plane?.stop();
  await tunnel?.stop();
  for (const kubelet of kubelets) await kubelet.stop();
});

/** The document, checked against its schema; `stderr` besides. */
async function settings(line = '', kubeconfig = plane.kubeconfigPath) {
  const run = await gc(`settings ${line} -o json`, { env: { KUBECONFIG: kubeconfig } });
  if (run.code !== 0) throw new Error(run.stderr);
  const report: SettingsReport = validDocument('settings', run.stdout);
  return { report, stderr: run.stderr };
}

/** Value, source and instances of settings, by `component name`. */
function valuesOf({ items }: SettingsReport, ...names: readonly string[]) {
  return names.map((name) =>
    items
      .filter((item) => `${item.component} ${item.name}` === name)
      .map(({ value, source, instances }) => [value, source, instances.join(',')]),
  );
}

async function addPod(name: string, component: string, nodeName: string, command: string[]) {
  await plane.create('/api/v1/namespaces/kube-system/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system', labels: { component, tier: 'control-plane' } },
    spec: {
      nodeName,
      hostNetwork: true,
      containers: [
        { name: component, image: `registry.k8s.io/${component}:${wantedVersion()}`, command },
      ],
    },
  });
}

describe('a cluster', () => {
  test('whose control plane is hidden: unknown, with the defaults beside it', async () => {
    const { report, stderr } = await settings();
    expect(
      valuesOf(
        report,
        `${manager} terminatedPodGCThreshold`,
        'kube-apiserver eventTTL',
        'kube-apiserver deleteCollectionWorkers',
        'kube-apiserver CoordinatedLeaderElection',
        'kube-apiserver StorageVersionAPI',
        'kubelet imageGCHighThresholdPercent',
      ),
    ).toEqual([
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
    ]);
    const threshold = report.items.find(({ name }) => name === 'terminatedPodGCThreshold');
    expect([threshold?.default, threshold?.defaultOf]).toEqual([12500, `v1.${playedMinor}`]);
    expect([report.settings, report.coverage.complete]).toEqual([{}, false]);
    expect(stderr).toBe(
      `Warning: no pod of ${manager} was found in kube-system: its settings are unknown\n`,
    );
  });

  test('who may read nothing of it is told so, setting by setting', async () => {
    const kubeconfig = plane.kubeconfigFor({ user: 'nobody-special' });
    const { report } = await settings('', kubeconfig);
    expect(new Set(report.items.map(({ source }) => source))).toEqual(new Set(['unknown']));
    expect(report.coverage.problems.map(({ reason, resource }) => `${reason} ${resource}`)).toEqual(
      ['forbidden pods', 'forbidden nodes'],
    );
  });

  test('with two replicas: the one that leads counts, and its API servers all do', async () => {
    await addPod(`${manager}-cp-1`, manager, 'cp-1', [
      manager,
      '--terminated-pod-gc-threshold=100',
    ]);
    await addPod(`${manager}-cp-2`, manager, 'cp-2', [
      `/usr/local/bin/${manager}`,
      '--terminated-pod-gc-threshold',
      '200',
      '--controllers=*,-ttl',
    ]);
    await addPod('kube-apiserver-cp-1', 'kube-apiserver', 'cp-1', [
      'kube-apiserver',
      '--event-ttl=1h',
    ]);
    await addPod('kube-apiserver-cp-2', 'kube-apiserver', 'cp-2', [
      'kube-apiserver',
      '--event-ttl=3h',
    ]);
    const names = [`${manager} terminatedPodGCThreshold`, `${manager} concurrentGCSyncs`];
    const without = await settings();
    expect(valuesOf(without.report, ...names)).toEqual([
      [[undefined, 'unknown', '']],
      [[20, 'default', 'cp-1,cp-2']],
    ]);
    expect(without.report.leader).toEqual({
      because: `Lease kube-system/${manager} could not be read`,
    });

    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const leadBy = (host: string) => ({
      holderIdentity: `${host}_0b1e2d3c-1111-2222-3333-444455556666`,
      leaseDurationSeconds: 3600,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    });
    await plane.create(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: manager, namespace: 'kube-system' },
      spec: leadBy('cp-2'),
    });
    const { report } = await settings();
    expect(valuesOf(report, ...names, 'kube-apiserver eventTTL')).toEqual([
      [[200, 'flag', 'cp-2']],
      [[20, 'default', 'cp-2']],
      [
        ['1h', 'flag', 'cp-1'],
        ['3h', 'flag', 'cp-2'],
      ],
    ]);
    expect(report.leader).toEqual({ instance: 'cp-2', because: `Lease kube-system/${manager}` });
    expect(report.settings).toEqual({ controllers: ['*', '-ttl'], terminatedPodGCThreshold: 200 });
    expect(simulationSettings(report.settings).terminatedPodGCThreshold).toBe(200);

    await plane.patch(`${leases}/${manager}`, { spec: leadBy('cp-9') });
    const elsewhere = await settings();
    expect(valuesOf(elsewhere.report, ...names)).toEqual([
      [[undefined, 'unknown', '']],
      [[undefined, 'unknown', '']],
    ]);
    await plane.patch(`${leases}/${manager}`, { spec: leadBy('cp-1.example.com') });
    const { report: named } = await settings();
    expect(valuesOf(named, ...names)).toEqual([[[100, 'flag', 'cp-1']], [[20, 'default', 'cp-1']]]);
  });

  test('whose kubelets differ: nodes are grouped by value, and a silent one is unknown', async () => {
    const values = [85, 85, 70];
    for (const [index, high] of values.entries()) {
      const address = `10.2.0.${index + 1}`;
      const kubelet = await startNodeEndpoint(plane.authority, address, {
        '/configz': {
          kubeletconfig: {
            imageGCHighThresholdPercent: high,
            imageGCLowThresholdPercent: 60,
            imageMinimumGCAge: '2m0s',
            imageMaximumGCAge: '0s',
            featureGates: { KubeletSeparateDiskGC: high === 85 },
          },
        },
      });
      tunnel.route(address, kubelet);
      kubelets.push(kubelet);
      await addNode(`n-${index + 1}`, address);
    }
    await addNode('n-silent', '10.2.0.9');
    const { report, stderr } = await settings();
    expect(
      valuesOf(
        report,
        'kubelet imageGCHighThresholdPercent',
        'kubelet evictionSoft',
        'kubelet KubeletSeparateDiskGC',
      ),
    ).toEqual([
      [
        [85, 'configz', 'n-1,n-2'],
        [70, 'configz', 'n-3'],
        [undefined, 'unknown', 'n-silent'],
      ],
      [
        [{}, 'configz', 'n-1,n-2,n-3'],
        [undefined, 'unknown', 'n-silent'],
      ],
      [
        [true, 'configz', 'n-1,n-2'],
        [false, 'configz', 'n-3'],
        [undefined, 'unknown', 'n-silent'],
      ],
    ]);
    expect(stderr).toContain('Warning: cannot ask the kubelet of node n-silent for /configz: ');
    const { report: one } = await settings('n-3 --collector image-gc');
    expect(valuesOf(one, 'kubelet imageGCHighThresholdPercent')).toEqual([
      [[70, 'configz', 'n-3']],
    ]);
  });
});

async function addNode(name: string, address: string): Promise<void> {
  await plane.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const status = {
    addresses: [{ type: 'InternalIP', address }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { ...nodeInfo, kubeletVersion: wantedVersion() },
  };
  await plane.patch(`/api/v1/nodes/${name}/status`, { status });
}

const nodeInfo = Object.fromEntries(
  [
    'machineID',
    'systemUUID',
    'bootID',
    'kernelVersion',
    'osImage',
    'containerRuntimeVersion',
    'kubeProxyVersion',
    'operatingSystem',
    'architecture',
  ].map((name) => [name, '']),
);

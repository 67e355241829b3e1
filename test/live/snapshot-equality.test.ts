import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namespace } from '../support/blockade.ts';
import { blockades } from '../support/blockades.ts';
import type { Run } from '../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { ownershipFaults } from './audit-faults/ownership.ts';
import {
  type NodeEndpoint,
  type NodeTunnel,
  startNodeEndpoint,
  startNodeTunnel,
} from './node-endpoints.ts';

/** A cluster with faults of every kind, and a snapshot that was saved of it. */
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-equality-'));
const saved = join(folder, 'cluster.json.gz');
/** The clock of all answers: nothing that was made for the test is young any more. */
const clock = new Date(Date.now() + 3_600_000).toISOString();
let plane: ControlPlane;
let tunnel: NodeTunnel;
const kubelets: NodeEndpoint[] = [];

const GiB = 2 ** 30;
const nodes: Readonly<Record<string, string>> = { 'kept-1': '10.1.0.1', 'kept-2': '10.1.0.2' };
const disk = {
  time: '2026-01-01T12:00:00Z',
  availableBytes: 5 * GiB,
  capacityBytes: 40 * GiB,
  inodesFree: 900_000,
  inodes: 1_000_000,
};
const ended = { terminated: { containerID: 'containerd://c0', startedAt: '2026-01-01T10:00:00Z' } };
const running = {
  metadata: { name: 'web-1', namespace: 'shop', uid: 'uid-web' },
  spec: { nodeName: 'kept-1' },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'web',
        image: 'example.com/web:2',
        imageID: 'example.com/web:2',
        containerID: 'containerd://c1',
        state: { running: { startedAt: '2026-01-01T11:00:00Z' } },
        lastState: ended,
      },
    ],
  },
};
const answersOf = (name: string) => ({
  '/configz': {
    kubeletconfig: {
      imageMinimumGCAge: '2m0s',
      imageMaximumGCAge: '0s',
      imageGCHighThresholdPercent: name === 'kept-1' ? 100 : 85,
      imageGCLowThresholdPercent: 80,
      nodeStatusMaxImages: 50,
      evictionHard: { 'imagefs.available': '15%', 'nodefs.available': '10%' },
      staticPodURLHeader: { Authorization: ['hush'] },
    },
  },
  '/stats/summary': {
    node: {
      nodeName: name,
      memory: { availableBytes: 4 * GiB, workingSetBytes: 4 * GiB },
      fs: disk,
      runtime: { imageFs: disk, containerFs: disk },
    },
    pods: [],
  },
  '/pods': {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: name === 'kept-1' ? [running] : [],
  },
  '/metrics': 'process_start_time_seconds 1767225600\n',
  '/flagz': 'kubelet flagz\n\nmaximum-dead-containers-per-container=0\nv=2\n',
});

async function addNode(name: string): Promise<void> {
  await plane.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { pool: name } },
  });
  const image = (tag: string, sizeBytes: number) => ({ names: [`example.com/${tag}`], sizeBytes });
  const since = '2026-01-01T00:00:00Z';
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastTransitionTime: since,
  };
  const status = {
    conditions: [ready],
    images: [image('web:2', GiB), image('web:1', 2 * GiB), image('job:1', 3 * GiB)],
    addresses: [{ type: 'InternalIP', address: nodes[name] }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { kubeletVersion: 'v1.36.3' },
  };
  await plane.patch(`/api/v1/nodes/${name}/status`, { status });
}

const manager = 'kube-controller-manager';

beforeAll(async () => {
  tunnel = await startNodeTunnel(folder);
  const egress = join(folder, 'egress.json');
  writeFileSync(egress, tunnel.egressConfiguration);
  plane = await startControlPlane({
    controllers: 'none',
    apiServerArgs: [
      `--egress-selector-config-file=${egress}`,
      '--kubelet-certificate-authority=ca.crt',
      // The server's own Lease would change from one reading to the next.
      '--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false',
    ],
  });
  for (const [name, address] of Object.entries(nodes)) {
    const kubelet = await startNodeEndpoint(plane.authority, address, answersOf(name));
    tunnel.route(address, kubelet);
    kubelets.push(kubelet);
    await addNode(name);
  }
  // Thousands of objects of a kind would only take longer.
  const faults = ownershipFaults.objects.filter(
    ({ metadata: { name, namespace: space } }) =>
      space !== 'piles' && !String(name).startsWith('crowd'),
  );
  const objects = [...blockades.flatMap((blockade) => blockade.objects), ...faults];
  const spaces = new Set(objects.flatMap(({ metadata }) => (metadata.namespace as string) ?? []));
  const own = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : [])),
  );
  const made = [...spaces].filter((space) => space !== 'kube-system' && !own.has(space));
  await plane.putObjects([...made.map((space) => namespace(space)), ...objects]);
  await ownershipFaults.breakCluster?.(plane);
  await plane.create('/api/v1/namespaces/kube-system/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: manager, namespace: 'kube-system', labels: { component: manager } },
    spec: {
      nodeName: 'kept-1',
      containers: [
        {
          name: manager,
          image: `registry.k8s.io/${manager}:v1.36.3`,
          command: [manager, '--terminated-pod-gc-threshold=1', '--cloud-config=hush'],
          env: [{ name: 'TOKEN', value: 'hush' }],
        },
      ],
    },
  });
  await plane.create('/api/v1/namespaces/default/secrets', {
    metadata: { name: 'private', namespace: 'default' },
    stringData: { password: 'hush' },
  });
  const { code, stderr } = await run(`snapshot save ${saved} --nodes`);
  expect([code, stderr], stderr).toEqual([0, expect.stringMatching(/Saved \d+ objects to /)]);
}, 120_000);

afterAll(async () => {
  console.log('1', Date.now());
  await plane?.stop();
  console.log('2', Date.now());
  await tunnel?.stop();
  console.log('3', Date.now());
  for (const kubelet of kubelets) await kubelet.stop();
  console.log('4', Date.now());
  rmSync(folder, { recursive: true });
});

const run = (line: string) => gcHere(line, { KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1' });

const lines: string[] = process.env.ONE
  ? [process.env.ONE]
  : [
      'orphans -A',
      'orphans -A --unmanaged',
      'orphans -n b15',
      'invalid-ownerrefs -A',
      'audit -A --no-config --fail-on never',
      'forecast --within 7d',
      'podgc-preview',
      'podgc-preview --threshold 5 -n b20',
      'why -A',
      'why --gc',
      'settings',
      'settings kept-1',
      'settings -l pool=kept-2',
      'images --all',
      'images kept-1',
      'images -l pool=kept-2',
      'containers --all',
      'containers kept-1',
      'simulate --delete deployment/web -n b08',
      'tree namespace/b08',
      'tree deployment/web -n b08',
      'owners configmap/leaf -n b08',
      'report --fail-on never',
      'forecast --collector image-gc',
      ...blockades.map(({ ask }) => `why ${ask}`),
    ];
/** When something was read differs from one reading to the next. */
const readTime = /\b(?:readAt|observedAt|at)": "[^"]*"/g;
const comparable = ({ code, stdout, stderr }: Run) => ({
  code,
  stdout: (stdout.startsWith('{')
    ? JSON.stringify(JSON.parse(stdout), undefined, 1)
    : stdout
  ).replace(readTime, 'at'),
  stderr,
});
test.each(lines)('%s', async (line) => {
  for (const format of line.startsWith('report') ? [''] : ['-o json', '-o wide']) {
    const live = await run(`${line} ${format} --now ${clock}`);
    const off = await run(`${line} ${format} --now ${clock} --from ${saved}`);
    expect(comparable(off)).toEqual(comparable(live));
  }
});

// Records examples/clusters/shop.json.gz from a real control plane: `node scripts/record-example.ts` (about five minutes).
import { writeFileSync } from 'node:fs';
import { crc32, gzipSync } from 'node:zlib';
import { encodeSnapshot } from '../src/files/saved-snapshot.ts';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../test/support/control-plane.ts';
import { eventually } from '../test/support/eventually.ts';
import { applyManifest, readManifest, withRealValues } from './record-example/manifests.ts';
import { playNodes } from './record-example/nodes.ts';
import { takeSnapshot } from './record-example/take-snapshot.ts';

const target = new URL('../examples/clusters/shop.json.gz', import.meta.url);
const server = 'https://kubernetes.shop.example:6443';

const plane = await startControlPlane({ controllers: ['*'] });
let failed = '';
const nodes = await playNodes(plane, ['worker-1', 'worker-2', 'worker-3'], (pod) => {
  // The first run of the CronJob fails, all others succeed.
  if (failed === '' && pod.startsWith('abandoned-carts-')) failed = pod;
  return pod === failed;
});
try {
  await setUp(plane);
  await rollOut(plane);
  await waitForJobs(plane);
  await removeSome(plane);
  await nodes.stop();
  // A running collector would remove at once what the faults leave dangling.
  await plane.stopControllers();
  await applyManifest(plane, 'faults/restored.yaml', 'velero-server');
  await applyManifest(plane, 'faults/chart.yaml', 'helm');
  await applyManifest(plane, 'faults/hand-made.yaml', 'kubectl-edit');
  for (const object of readManifest('faults/stored.yaml')) {
    await plane.putObjects([await withRealValues(plane, object)]);
  }
  const snapshot = await takeSnapshot(plane, server);
  const text = [...encodeSnapshot(snapshot, crc32)].join('');
  const compressed = gzipSync(text, { level: 9 });
  writeFileSync(target, compressed);
  say(`${snapshot.records.length} objects, ${text.length} bytes, ${compressed.length} compressed`);
} finally {
  await nodes.stop();
  await plane.stop();
}

async function setUp(cluster: ControlPlane): Promise<void> {
  say('applying the manifests');
  await applyManifest(cluster, 'cluster.yaml', 'kubectl-client-side-apply');
  await applyManifest(cluster, 'tenant.yaml', 'platform-operator');
  await applyManifest(cluster, 'platform.yaml', 'helm');
  await applyManifest(cluster, 'shop.yaml', 'argocd-controller');
  await applyManifest(cluster, 'payments.yaml', 'argocd-controller');
  await applyManifest(cluster, 'preview.yaml', 'argocd-controller');
  await applyManifest(cluster, 'operator-children.yaml', 'platform-operator');
}

/** Gives the workloads a history. */
async function rollOut(cluster: ControlPlane): Promise<void> {
  const image = (name: string) => `registry.example.com/${name}`;
  const releases = [
    ['shop', 'deployment/web', `app=${image('web:2.0.1')}`],
    ['shop', 'deployment/web', `app=${image('web:2.1.0')}`],
    ['shop', 'deployment/web', `app=${image('web:2.2.0')}`],
    ['shop', 'deployment/web', `app=${image('web:2.3.0')}`],
    ['shop', 'deployment/cart', `app=${image('cart:1.5.0')}`],
    ['shop', 'statefulset/search', `search=${image('search:7.3.1')}`],
    ['payments', 'deployment/payments-api', `app=${image('payments-api:5.1.0')}`],
    ['platform', 'daemonset/log-shipper', `shipper=${image('log-shipper:3.2.0')}`],
  ] as const;
  for (const [namespace, workload, container] of releases) {
    const rolled = () =>
      kubectl(cluster, namespace, 'rollout', 'status', workload, '--timeout=120s');
    await rolled();
    say(`rolling out ${workload} in ${namespace}`);
    await kubectl(cluster, namespace, 'set', 'image', workload, container);
    await rolled();
  }
}

async function waitForJobs(cluster: ControlPlane): Promise<void> {
  say('waiting for three good runs of the CronJob, one a minute');
  await eventually(
    'a history of Jobs',
    async () => {
      const { items } = await cluster.get<{ items: Job[] }>('/apis/batch/v1/jobs');
      const runs = items.filter(({ metadata }) => metadata.name.startsWith('abandoned-carts-'));
      const good = runs.filter(({ status }) => status.succeeded === 1);
      return good.length === 3 ? true : undefined;
    },
    400,
  );
}

interface Job {
  readonly metadata: { readonly name: string };
  readonly status: { readonly succeeded?: number };
}

/** Deletes in ways that leave something behind. */
async function removeSome(cluster: ControlPlane): Promise<void> {
  say('deleting a preview, a Deployment and a Job');
  const pods = '/api/v1/namespaces/shop/pods';
  const { items } = await cluster.get<{ items: KubeObject[] }>(
    `${pods}?labelSelector=app%3Drecommendations`,
  );
  await cluster.patch(`${pods}/${items[0]?.metadata.name}?fieldManager=session-drainer`, {
    metadata: { finalizers: ['shop.example.com/drain-sessions'] },
  });
  await kubectl(cluster, 'payments', 'delete', 'job', 'invoice-export', '--cascade=orphan');
  const foreground = ['deployment', 'recommendations', '--cascade=foreground', '--wait=false'];
  await kubectl(cluster, 'shop', 'delete', ...foreground);
  await kubectl(cluster, 'shop', 'delete', 'namespace', 'preview-142', '--wait=false');
  // Pods go first; the rest of a namespace follows some time later.
  const left = '/apis/apps/v1/namespaces/preview-142/deployments/web';
  await eventually(
    'the end of what can end',
    async () => ((await cluster.isHealthy(left)) ? undefined : true),
    120,
  );
  await new Promise((resolve) => setTimeout(resolve, 5_000));
}

async function kubectl(cluster: ControlPlane, namespace: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['-n', namespace, ...args]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}

function say(text: string): void {
  console.log(text);
}

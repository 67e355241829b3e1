import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: 'none' });
});
afterAll(() => plane?.stop());

const driver = 'disk.example.com';
const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
const namespace = '/api/v1/namespaces/default';

/** As kube-controller-manager names it. */
const digest = (handle: string, node: string) =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;

async function node(name: string, ready: string, more: { taints?: object[]; inUse?: string } = {}) {
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await plane.make(`Node ${name}`, {
    metadata: { annotations },
    spec: { taints: more.taints ?? [] },
  });
  const { inUse } = more;
  const volume = `kubernetes.io/csi/${driver}^${inUse}`;
  await plane.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      conditions: [{ type: 'Ready', status: ready }],
      ...(inUse && {
        volumesInUse: [volume],
        volumesAttached: [{ name: volume, devicePath: '' }],
      }),
    },
  });
}

/** A bound claim, its volume, and what attaches it to a Node. */
async function attached(name: string, nodeName: string, called = digest(name, nodeName)) {
  const claim = await plane.make(`PersistentVolumeClaim default/${name}`, {
    spec: { ...claimSpec, volumeName: name },
  });
  await plane.make(`PersistentVolume ${name}`, {
    spec: volumeSpec(name, {
      claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
      hostPath: undefined,
      csi: { driver, volumeHandle: name },
    }),
  });
  for (const path of [
    `/api/v1/persistentvolumes/${name}`,
    `${namespace}/persistentvolumeclaims/${name}`,
  ])
    await plane.patch(`${path}/status`, { status: { phase: 'Bound' } });
  await plane.make(`VolumeAttachment ${called}`, {
    metadata: { labels: { volume: name } },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: name } },
  });
  await plane.patch(`${attachments}/${called}/status`, { status: { attached: true } });
}

async function pod(name: string, nodeName: string, claimName: string, phase = 'Running') {
  await plane.make(`Pod default/${name}`, {
    spec: {
      nodeName,
      containers: [{ name: 'main', image: 'example.com/main' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
  await plane.patch(`${namespace}/pods/${name}/status`, { status: { phase } });
}

/** A pod that is being deleted, with a container in that state. */
async function ending(name: string, state: object) {
  await pod(name, 'alive', name);
  const status = { name: 'main', ready: false, restartCount: 0, image: '', imageID: '', state };
  await plane.patch(`${namespace}/pods/${name}/status`, {
    status: { containerStatuses: [status] },
  });
  await plane.request(`${namespace}/pods/${name}?gracePeriodSeconds=600`, { method: 'DELETE' });
}

async function volumes(): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(attachments);
  return items
    .map(({ metadata }) => (metadata.labels as Record<string, string>).volume ?? '')
    .sort();
}

const ask = async <T>(line: string): Promise<T> => {
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  return JSON.parse(stdout);
};

interface Forecast {
  readonly items: readonly {
    readonly object: { readonly name: string };
    readonly action: string;
    readonly confidence: string;
  }[];
}

test('volumes are detached from Nodes without a pod for them, as forecast and planned', async () => {
  await node('alive', 'True');
  await node('silent', 'Unknown', { inUse: 'mounted' });
  const outOfService = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };
  await node('out', 'Unknown', { inUse: 'lost', taints: [outOfService] });
  await attached('used', 'alive');
  await attached('ended', 'alive');
  await attached('mounted', 'silent');
  await attached('lost', 'out');
  await attached('alone', 'gone');
  await attached('by-hand', 'gone', 'by-hand');
  await pod('user', 'alive', 'used');
  await pod('done', 'alive', 'ended', 'Succeeded');
  await attached('stopped', 'alive');
  await attached('stopping', 'alive');
  await ending('stopped', { terminated: { exitCode: 0 } });
  await ending('stopping', { running: {} });

  const { items } = await ask<Forecast>('forecast --collector attachdetach -o json');
  const named = new Map(
    (await plane.get<{ items: KubeObject[] }>(attachments)).items.map(({ metadata }) => [
      metadata.name,
      (metadata.labels as Record<string, string>).volume,
    ]),
  );
  const told = items
    .map(({ object, action, confidence }) => `${named.get(object.name)} ${action} ${confidence}`)
    .sort();
  expect(told).toEqual([
    'alone delete certain',
    'ended delete likely',
    'lost delete certain',
    'mounted delete certain',
    'stopped delete likely',
    // When its kubelet has ended it: here it has none.
    'stopping delete likely',
  ]);

  await plane.startControllers(['persistentvolume-attach-detach-controller']);
  const started = Date.now();
  await eventually('one is detached', async () => (await volumes()).length === 7);
  const first = 'alone by-hand ended mounted stopped stopping used'.split(' ');
  expect(await volumes()).toEqual(first);
  // A controller that starts takes all for mounted until the Node reports.
  let reports = 0;
  const report = () =>
    plane.patch('/api/v1/nodes/alive/status', {
      status: { conditions: [{ type: 'Ready', status: 'True', message: `${reports++}` }] },
    });
  await report();
  await eventually('three are detached', async () => (await volumes()).length === 5);
  expect(await volumes()).toEqual(['alone', 'by-hand', 'mounted', 'stopping', 'used']);

  const { objects } = await ask<{ objects: { kind: string; fate: string; likely?: boolean }[] }>(
    'delete pod/user -n default --preview -o json',
  );
  expect(objects.map(({ kind, fate, likely }) => [kind, fate, likely ?? false])).toEqual([
    ['Pod', 'deleted', false],
    ['VolumeAttachment', 'deleted', true],
  ]);
  await plane.request(`${namespace}/pods/user?gracePeriodSeconds=0`, { method: 'DELETE' });
  await eventually('it is detached', async () => {
    await report();
    return !(await volumes()).includes('used');
  });
  expect(await volumes()).toEqual(['alone', 'by-hand', 'mounted', 'stopping']);

  const left = async () => (await volumes()).length === 2;
  await eventually('the others are detached by force', left, 480);
  expect(await volumes()).toEqual(['by-hand', 'stopping']);
  expect((Date.now() - started) / 60_000).toBeGreaterThan(6);
}, 600_000);

import { eventually } from '../support/eventually.ts';
import { playedMinor } from '../support/played-minor.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { type Doomed, ending, podSpec, type Scenario, type Scene } from './deleted-scene.ts';

const driver = 'gpu.example.com';

/** A pod that uses a device of a Node. */
async function podWithDevice(scene: Scene, device: string): Promise<Doomed> {
  const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } };
  await scene.make('ResourceClaim gpu', { spec });
  const resourceClaims = [{ name: 'gpu', resourceClaimName: 'gpu' }];
  await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-5', resourceClaims }) });
  const pod = await scene.doomed('Pod web');
  await scene.plane.report(scene.pathOf('ResourceClaim gpu'), {
    allocation: { devices: { results: [{ request: 'gpu', driver, pool: device, device }] } },
    reservedFor: [{ resource: 'pods', name: 'web', uid: pod.uid }],
  });
  return pod;
}

/** A pod on a Node of its own, with a volume that the attach detach controller attaches. */
async function podWithVolume(scene: Scene) {
  const { namespace } = scene;
  const node = `${namespace}-node`;
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await scene.make(`Node ${node}`, { metadata: { annotations } });
  await scene.plane.report(scene.pathOf(`Node ${node}`), {
    conditions: [{ type: 'Ready', status: 'True' }],
  });
  const volume = `${namespace}-disk`;
  await scene.make('PersistentVolumeClaim disk', { spec: { ...claimSpec, volumeName: volume } });
  const { uid } = await scene.doomed('PersistentVolumeClaim disk');
  const claimRef = { namespace, name: 'disk', uid };
  const csi = { driver: 'disk.example.com', volumeHandle: volume };
  const spec = volumeSpec(volume, { claimRef, hostPath: undefined, csi });
  await scene.make(`PersistentVolume ${volume}`, { spec });
  await eventually('the binding', async () => {
    const claim = scene.pathOf('PersistentVolumeClaim disk');
    const { status } = await scene.plane.get<{ status: { phase?: string } }>(claim);
    return status.phase === 'Bound';
  });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }];
  await scene.make('Pod web', { spec: podSpec({ nodeName: node, volumes }) });
  const isOwn = ({ spec: { nodeName } }: Attachment) => nodeName === node;
  const attachment = await eventually('the attachment', async () => {
    const all = await scene.plane.list<Attachment>(scene.pathOf('VolumeAttachment '));
    const found = all.find(isOwn);
    return found && scene.doomed(`VolumeAttachment ${found.metadata.name}`);
  });
  await scene.plane.report(attachment.path, { attached: true });
  return { attachment, pod: await scene.doomed('Pod web') };
}

interface Attachment {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName: string };
}

/** Since v1.36 pods are evicted from tainted devices by default. */
const deviceTaints: Readonly<Record<string, Scenario>> = {
  'device-tainted': async (scene) => {
    const device = `${scene.namespace}-gpu`;
    const slice = (taints: readonly object[]) => ({
      driver,
      nodeName: 'worker-5',
      pool: { name: device, generation: 1, resourceSliceCount: 1 },
      devices: [{ name: device, ...(taints.length > 0 && { taints }) }],
    });
    await scene.make(`ResourceSlice ${device}`, { spec: slice([]) });
    const pod = await podWithDevice(scene, device);
    return async () => {
      const spec = slice([{ key: 'example.com/broken', effect: 'NoExecute' }]);
      await scene.send('bob', 'PATCH', `ResourceSlice ${device}`, { spec });
      await ending(scene, pod.path);
      await scene.endOnNode(pod, 'system:node:worker-5');
      const evicted = scene.byController(pod, 'device-taint-eviction-controller', 'DEV-1');
      const changed = scene.optional(scene.change(`ResourceSlice ${device}`, 'bob'));
      scene.truths('pod', pod, [[evicted, changed]], { endedBy: 'system:node:worker-5' });
    };
  },
};

export const deviceScenarios: Readonly<Record<string, Scenario>> = {
  ...(playedMinor >= 36 && deviceTaints),
  'volume-detached': async (scene) => {
    const { attachment, pod } = await podWithVolume(scene);
    return async () => {
      await scene.kubectl('alice', 'delete pod web --force --grace-period=0');
      await scene.gone(attachment);
      const detached = scene.byController(attachment, 'attachdetach-controller');
      scene.truth('attachment', attachment, detached, scene.optional(scene.request(pod, 'alice')));
    };
  },
  'mirrored-slice': async (scene) => {
    await scene.make('Service web', { spec: { ports: [{ port: 80 }], clusterIP: 'None' } });
    const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }];
    await scene.make('Endpoints web', { subsets });
    const isMirror = (one: { metadata: { labels?: Readonly<Record<string, string>> } }) =>
      one.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ===
      'endpointslicemirroring-controller.k8s.io';
    const slice = await scene.only('EndpointSlice', isMirror);
    return async () => {
      const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
      await scene.send('alice', 'PATCH', 'Endpoints web', { metadata: { labels } });
      await scene.gone(slice);
      const deleted = scene.byController(slice, 'endpointslicemirroring-controller', 'OTH-2');
      scene.truth('slice', slice, deleted, scene.optional(scene.change('Endpoints web', 'alice')));
    };
  },
};

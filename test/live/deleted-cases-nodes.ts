import { eventually } from '../support/eventually.ts';
import {
  type Doomed,
  ending,
  podSpec,
  reference,
  running,
  type Scenario,
  type Scene,
} from './deleted-scene.ts';

const volumeClaim = (volumeName: string) => ({
  spec: {
    storageClassName: 'manual',
    volumeName,
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  },
});

/** A claim that is bound to a volume whose data the controller manager deletes: a directory that does not exist. */
async function boundClaim(scene: Scene, policy: 'Delete' | 'Retain') {
  const volume = `${scene.namespace}-disk`;
  await scene.make(`PersistentVolume ${volume}`, {
    spec: {
      storageClassName: 'manual',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      hostPath: { path: `/tmp/no-such-directory/${volume}` },
    },
  });
  await scene.make('PersistentVolumeClaim disk', volumeClaim(volume));
  const claim = await scene.doomed('PersistentVolumeClaim disk');
  await eventually('the binding', async () => {
    const { status } = await scene.plane.get<{ status: { phase?: string } }>(claim.path);
    return status.phase === 'Bound';
  });
  return { claim, volume: await scene.doomed(`PersistentVolume ${volume}`) };
}

/** A pod on a Node of the scene's own. */
async function podOnNode(scene: Scene) {
  const node = `${scene.namespace}-node`;
  await scene.make(`Node ${node}`);
  await scene.make('Pod web', { spec: podSpec({ nodeName: node }) });
  return { node: await scene.doomed(`Node ${node}`), pod: await scene.doomed('Pod web') };
}

/** --terminated-pod-gc-threshold: more than the pods that end in all other scenarios. */
export const terminatedPods = 6;

export const nodeScenarios: Readonly<Record<string, Scenario>> = {
  'node-deleted': async (scene) => {
    const { node, pod } = await podOnNode(scene);
    const ownerReferences = [reference('Node', node)];
    const lease = `Lease kube-node-lease/${node.name}`;
    await scene.make(lease, { metadata: { ownerReferences } });
    const held = await scene.doomed(lease);
    return async () => {
      await scene.kubectl('bob', `delete node ${node.name}`);
      await scene.gone(node, pod, held);
      const first = scene.request(node, 'bob');
      scene.truth('lease', held, scene.owner(held), first);
      scene.truth('pod', pod, scene.byController(pod, 'pod-garbage-collector', 'PG-16'), first);
    };
  },
  'node-never-existed': async (scene) => {
    await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-none' }) });
    const pod = await scene.doomed('Pod web');
    return async () => {
      await scene.gone(pod);
      scene.truth('pod', pod, scene.byController(pod, 'pod-garbage-collector', 'PG-16'));
    };
  },
  'terminated-pods': async (scene) => {
    const names = Array.from({ length: 2 * terminatedPods }, (_, at) => `ended-${at + 10}`);
    const pods: Doomed[] = [];
    for (const name of names) {
      await scene.make(`Pod ${name}`, { spec: podSpec({ nodeName: 'worker-5' }) });
      pods.push(await scene.doomed(`Pod ${name}`));
    }
    return async () => {
      for (const { path } of pods) {
        const status = { phase: 'Succeeded' };
        await scene.send('system:node:worker-5', 'PATCH', `${path}/status`, { status });
      }
      const oldest = pods.slice(0, 2);
      await scene.gone(...oldest);
      for (const pod of oldest) {
        const deleted = scene.byController(pod, 'pod-garbage-collector', 'PG-5');
        scene.truth(pod.name, pod, deleted);
      }
    };
  },
  'node-tainted': async (scene) => {
    await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-3' }) });
    const pod = await scene.doomed('Pod web');
    await running(scene, pod.path, 'worker-3');
    return async () => {
      await scene.kubectl('alice', 'taint node worker-3 maintenance=now:NoExecute');
      await ending(scene, pod.path);
      await scene.endOnNode(pod, 'system:node:worker-3');
      const evicted = scene.byController(pod, 'node-controller', 'NODE-7');
      const changed = scene.change('Node worker-3', 'alice');
      scene.truths('pod', pod, [[evicted, changed]], { endedBy: 'system:node:worker-3' });
    };
  },
  'claim-deleted': async (scene) => {
    const { claim, volume } = await boundClaim(scene, 'Delete');
    return async () => {
      await scene.kubectl('alice', 'delete pvc disk');
      await scene.gone(claim, volume);
      const first = scene.request(claim, 'alice');
      scene.truths('claim', claim, [[first]], { endedBy: 'pvc-protection-controller' });
      const reclaimed = scene.byController(volume, 'persistent-volume-binder', 'PV-7');
      scene.truth('volume', volume, reclaimed, first);
    };
  },
  'volume-deleted-before-claim': async (scene) => {
    const { claim, volume } = await boundClaim(scene, 'Retain');
    return async () => {
      await scene.kubectl('alice', `delete pv ${volume.name} --wait=false`);
      await scene.kubectl('bob', 'delete pvc disk');
      await scene.gone(claim, volume);
      scene.truth('claim', claim, scene.request(claim, 'bob'));
      const endedBy = 'pv-protection-controller';
      scene.truths('volume', volume, [[scene.request(volume, 'alice')]], { endedBy });
    };
  },
  'claim-in-use': async (scene) => {
    await scene.make('PersistentVolumeClaim disk', volumeClaim(`${scene.namespace}-none`));
    const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }];
    await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-1', volumes }) });
    const claim = await scene.doomed('PersistentVolumeClaim disk');
    const pod = await scene.doomed('Pod web');
    return async () => {
      await scene.kubectl('alice', 'delete pvc disk --wait=false');
      await scene.kubectl('bob', 'delete pod web --force --grace-period=0');
      await scene.gone(claim);
      scene.truth('pod', pod, scene.request(pod, 'bob'));
      const endedBy = 'pvc-protection-controller';
      scene.truths('claim', claim, [[scene.request(claim, 'alice')]], { endedBy });
    };
  },
  'bootstrap-token': async (scene) => {
    return async () => {
      const text = 'Secret kube-system/bootstrap-token-abcdef';
      const expiration = new Date(Date.now() + 3_000).toISOString();
      await scene.make(text, {
        type: 'bootstrap.kubernetes.io/token',
        stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', expiration },
      });
      const secret = await scene.doomed(text);
      await scene.gone(secret);
      scene.truth('secret', secret, scene.byController(secret, 'token-cleaner', 'BT-1'));
    };
  },
};

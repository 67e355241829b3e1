import type { KubeObject } from '../../src/kube/record-codec.ts';
import { gone, namespace, onOldNode, pod } from '../support/blockade.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { nodeObject, podObject } from './dead-pods.ts';

/** Lines that use what a role permits beyond the lines of rbac.test.ts. */
export interface Use {
  /** The arguments of `rbac`. */
  readonly asked: string;
  readonly lines: readonly string[];
  /** What has to be there for them. */
  readonly makes?: (plane: ControlPlane) => Promise<unknown>;
  /** The lines go on until their output has this. */
  readonly until?: RegExp;
}

export const uses: readonly Use[] = [
  { asked: 'images', lines: ['images worker-1'] },
  { asked: 'containers', lines: ['containers worker-1'] },
  reports('wgpolicyk8s.io', 'v1alpha2', 'PolicyReport'),
  reports('openreports.io', 'v1alpha1', 'Report'),
  {
    asked: 'forecast --with kubelets',
    lines: ['forecast --collector image-gc,container-gc', 'forecast'],
  },
  { asked: 'snapshot save --with nodes', lines: ['snapshot save - --nodes'] },
  { asked: 'snapshot save configmaps --with managers', lines: ['snapshot save -'] },
  { asked: 'tree --with watch', lines: ['tree configmap/root -n shop --watch'], until: /root/ },
  { asked: 'orphans --with watch', lines: ['orphans -A --watch'], until: /lost/ },
  {
    asked: 'why configmaps --with watch',
    lines: ['why configmap/stuck -n shop --watch'],
    until: /stuck/,
  },
  { asked: 'forecast --with watch', lines: ['forecast --watch'], until: /csr-cleaner|WHEN|No / },
  {
    // Its dependents need a kubelet, and an address of the cluster.
    asked: 'delete configmaps',
    lines: ['delete configmap/family -n shop --yes --timeout=2s'],
    makes: makeFamily,
  },
  {
    asked: 'podgc-preview --with apply',
    lines: ['podgc-preview -n held --apply --yes --timeout=2s'],
    makes: (plane) => plane.putObjects([heldPod('previewed')]),
  },
  {
    asked: 'forecast pods --with apply',
    lines: ['pod-garbage-collector', 'garbage-collector'].map(
      (id) => `forecast -n lost --collector ${id} --apply --yes --timeout=2s`,
    ),
    makes: makePodWithOwners,
  },
  {
    asked: 'why pods --with fix',
    lines: ['why pod/unconfirmed -n unconfirmed --fix --yes'],
    makes: (plane) => plane.putObjects([pod('unconfirmed', 'unconfirmed', 'never', onOldNode)]),
  },
  {
    asked: 'why namespaces --with fix',
    lines: ['why namespace/empty --fix --yes'],
    makes: (plane) => plane.putObjects([namespace('empty', gone)]),
  },
  {
    asked: 'why namespaces,apiservices --with fix',
    lines: ['why namespace/unlisted --fix --yes'],
    makes: async (plane) => {
      const service = { namespace: 'shop', name: 'uninstalled' };
      const of = { group: 'gone.example.com', version: 'v1', service };
      const order = { groupPriorityMinimum: 100, versionPriority: 100 };
      const spec = { ...of, ...order, insecureSkipTLSVerify: true };
      await plane.make('APIService v1.gone.example.com', { spec });
      await plane.make('Namespace unlisted');
      await plane.remove('Namespace unlisted');
    },
  },
];

/** Findings that appear and change; reports are deleted where fewer are needed. */
function reports(api: string, version: string, kind: string): Use {
  const rules = '--rule namespaced-owner-of-cluster-object --rule missing-owner';
  const line = `report --no-config --fail-on never --policy-reports ${api} ${rules}`;
  return {
    asked: `report --with ${api}`,
    lines: [line, `${line} --rule finalizer-without-controller`, `${line} --severity error`],
    makes: async (plane) => {
      const finalizers = ['velero.io/data-upload-download-finalizer'];
      const found = { ownerReferences: [none], finalizers };
      await plane.make(`ConfigMap reported/${api}`, { metadata: found });
      const labels = { 'app.kubernetes.io/managed-by': 'kubectl-gc' };
      const metadata = { name: 'kubectl-gc-2', labels };
      for (const of of [
        `namespaces/reported/${kind.toLowerCase()}`,
        `cluster${kind.toLowerCase()}`,
      ]) {
        const its = of.startsWith('cluster') ? `Cluster${kind}` : kind;
        const report = { apiVersion: `${api}/${version}`, kind: its, metadata };
        await plane.create(`/apis/${api}/${version}/${of}s`, report);
      }
    },
  };
}

const onLostNode = { node: 'never', phase: 'Running' };

/** A pod of a Node that does not exist, which a finalizer blocks. */
const heldPod = (name: string) => podObject('held', name, { ...onLostNode, held: true });

function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

const none = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-of-nothing' };

async function makeFamily(plane: ControlPlane): Promise<void> {
  const ownerReferences = [referenceTo(await plane.make('ConfigMap shop/family'))];
  const member = podObject('shop', 'member', { node: 'worker-1', phase: 'Running' });
  await plane.putObjects([{ ...member, metadata: { ...member.metadata, ownerReferences } }]);
  const spec = { ports: [{ port: 80 }] };
  await plane.make('Service shop/member', { metadata: { ownerReferences }, spec });
}

async function makePodWithOwners(plane: ControlPlane): Promise<void> {
  const owner = referenceTo(await plane.make('ConfigMap lost/owner'));
  const owned = podObject('lost', 'owned', { node: 'worker-1', phase: 'Running' });
  const metadata = { ...owned.metadata, ownerReferences: [owner, none] };
  await plane.putObjects([
    podObject('lost', 'forecast', { ...onLostNode, held: true }),
    { ...owned, metadata },
  ]);
}

function renewed(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

/** What all lines read: two replicas of kube-controller-manager, of which the Lease names the leader; and findings. */
export async function makeCluster(plane: ControlPlane): Promise<void> {
  for (const name of ['shop', 'lost', 'held', 'reported', 'unconfirmed'])
    await plane.make(`Namespace ${name}`);
  const leader = { holderIdentity: 'one', leaseDurationSeconds: 3600, renewTime: renewed() };
  await plane.make('Lease kube-system/kube-controller-manager', { spec: leader });
  await plane.putObjects([nodeObject('worker-1', 'True', false)]);
  for (const name of ['one', 'another']) {
    const image = `registry.k8s.io/kube-controller-manager:${plane.serverVersion}`;
    await plane.make(`Pod kube-system/kube-controller-manager-${name}`, {
      metadata: { labels: { component: 'kube-controller-manager' } },
      spec: {
        containers: [
          { name: 'kube-controller-manager', image, command: ['kube-controller-manager'] },
        ],
      },
    });
  }
  await plane.make('ConfigMap shop/lost', { metadata: { ownerReferences: [none] } });
  await plane.make('ClusterRole lost', {
    metadata: { ownerReferences: [{ ...none, kind: 'ConfigMap' }] },
  });
  const { uid } = (await plane.make('ConfigMap shop/root')).metadata;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid };
  await plane.make('ConfigMap shop/dependent', { metadata: { ownerReferences: [owner] } });
  await plane.make('ConfigMap shop/stuck', { metadata: { finalizers: ['example.com/hold'] } });
  await plane.remove('ConfigMap shop/stuck');
}

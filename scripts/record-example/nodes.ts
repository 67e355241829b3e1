import type { Cluster } from '../../test/support/cluster.ts';

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
}

interface Pod {
  readonly metadata: Metadata;
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
    readonly affinity?: unknown;
  };
  readonly status: { readonly phase: string; readonly startTime?: string };
}

interface Claim {
  readonly metadata: Metadata;
  readonly spec: {
    readonly storageClassName: string;
    readonly resources: { readonly requests: object };
  };
  readonly status: { readonly phase: string };
}

export interface Nodes {
  /** Ends the heartbeats; pods stay as they are. */
  stop(): Promise<void>;
}

/**
 * Plays what no control plane does by itself: nodes with kubelets, the scheduler and a storage
 * provisioner. `fails` says which pods of Jobs end with an error.
 */
export async function playNodes(
  cluster: Cluster,
  names: readonly string[],
  fails: (podName: string) => boolean,
): Promise<Nodes> {
  for (const name of names) await register(cluster, name);
  let running = true;
  let next = 0;
  let heartbeat = performance.now();

  async function round(): Promise<void> {
    if (performance.now() - heartbeat > 8_000) {
      heartbeat = performance.now();
      for (const name of names) await renew(cluster, name);
    }
    for (const claim of await items<Claim>(cluster, '/api/v1/persistentvolumeclaims')) {
      if (claim.status.phase === 'Pending') await provision(cluster, claim);
    }
    for (const pod of await items<Pod>(cluster, '/api/v1/pods')) {
      if (pod.spec.nodeName === undefined) {
        next += 1;
        await bind(cluster, pod, boundByAffinity(pod) ?? names[next % names.length] ?? '');
      } else if (names.includes(pod.spec.nodeName)) {
        await run(cluster, pod, fails(pod.metadata.name));
      }
    }
  }

  const loop = (async () => {
    while (running) {
      // A pod may change between its list and its report; the next round sees it anew.
      await round().catch((error: unknown) => console.error(`${error}`));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
    },
  };
}

async function items<T>(cluster: Cluster, path: string): Promise<readonly T[]> {
  return (await cluster.get<{ items: T[] }>(path)).items;
}

const now = () => `${new Date().toISOString().slice(0, 19)}Z`;

async function register(cluster: Cluster, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  const node = await cluster.create<{ metadata: Metadata }>('/api/v1/nodes?fieldManager=kubelet', {
    metadata: { name, labels },
    status: { capacity: { cpu: '8', memory: '32Gi', pods: '110' } },
  });
  await cluster.create(
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?fieldManager=kubelet',
    {
      metadata: {
        name,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
    },
  );
  await renew(cluster, name);
}

async function renew(cluster: Cluster, name: string): Promise<void> {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
  await cluster.patch(`/api/v1/nodes/${name}/status`, {
    status: { conditions: [{ ...ready, lastHeartbeatTime: now() }] },
  });
  await cluster.patch(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`, {
    spec: { renewTime: microTime() },
  });
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

async function provision(cluster: Cluster, { metadata, spec }: Claim): Promise<void> {
  const name = `pvc-${metadata.uid}`;
  await cluster.request('/api/v1/persistentvolumes?fieldManager=csi-provisioner', {
    method: 'POST',
    body: {
      metadata: {
        name,
        annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.csi.example.com' },
      },
      spec: {
        storageClassName: spec.storageClassName,
        persistentVolumeReclaimPolicy: 'Delete',
        accessModes: ['ReadWriteOnce'],
        capacity: spec.resources.requests,
        csi: { driver: 'disk.csi.example.com', volumeHandle: name },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
        },
      },
    },
  });
}

/** The DaemonSet controller says with an affinity which node a pod is for. */
function boundByAffinity({ spec }: Pod): string | undefined {
  return /"metadata\.name","operator":"In","values":\["([^"]+)"\]/.exec(
    JSON.stringify(spec.affinity ?? ''),
  )?.[1];
}

async function bind(cluster: Cluster, { metadata }: Pod, node: string): Promise<void> {
  await cluster.request(`${podPath(metadata)}/binding`, {
    method: 'POST',
    body: { metadata: { name: metadata.name }, target: { kind: 'Node', name: node } },
  });
}

/** What a kubelet reports: running and ready at once; pods of Jobs end a second later. */
async function run(cluster: Cluster, pod: Pod, fails: boolean): Promise<void> {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) {
    if (metadata.deletionGracePeriodSeconds === 0) return;
    await cluster.request(podPath(metadata), {
      method: 'DELETE',
      body: { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } },
    });
  } else if (status.phase === 'Pending') {
    await report(cluster, pod, 'Running', { running: { startedAt: now() } });
  } else if (status.phase === 'Running' && metadata.ownerReferences?.[0]?.kind === 'Job') {
    const exitCode = fails ? 1 : 0;
    const terminated = { exitCode, finishedAt: now(), reason: fails ? 'Error' : 'Completed' };
    await report(cluster, pod, fails ? 'Failed' : 'Succeeded', { terminated });
  }
}

async function report(cluster: Cluster, pod: Pod, phase: string, state: object): Promise<void> {
  const ready = phase === 'Running';
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: ready || type === 'PodScheduled' || type === 'Initialized' ? 'True' : 'False',
    lastTransitionTime: now(),
  }));
  const containerStatuses = pod.spec.containers.map(({ name, image }) => ({
    name,
    image,
    imageID: image,
    ready,
    restartCount: 0,
    state,
  }));
  await cluster.patch(`${podPath(pod.metadata)}/status?fieldManager=kubelet`, {
    status: { phase, startTime: pod.status.startTime ?? now(), conditions, containerStatuses },
  });
}

function podPath({ namespace, name }: Metadata): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

import type { KubeObject } from '../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../test/support/control-plane.ts';
import type { TokenUser } from '../test/support/control-plane-layout.ts';
import { busyCluster } from './loaded-cluster.ts';

const putsAtOnce = 100;
const connections = 4;
const putAttempts = 10;

/** Places in etcd of the kinds of loaded-cluster.ts. */
const places: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  Pod: 'pods',
  Service: 'services/specs',
  EndpointSlice: 'endpointslices',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  Node: 'minions',
  Jar: 'bench.example.com/jars',
};

/** A real API server with the busy cluster in it. The caller stops it. */
export async function startLoaded(
  scale: number,
  tokens: readonly TokenUser[] = [],
): Promise<ControlPlane> {
  const plane = await startControlPlane({ controllers: 'none', tokens });
  try {
    console.log(`loaded ${await load(plane, busyCluster(scale))} objects`);
    await untilSeen(plane);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Puts objects into the store, as they are; says how many. */
export async function load(plane: ControlPlane, objects: Iterator<KubeObject>): Promise<number> {
  let loaded = 0;
  const work = async () => {
    for (let batch = take(objects); batch.length > 0; batch = take(objects)) {
      await put(plane.etcd, batch);
      loaded += batch.length;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return loaded;
}

function take(objects: Iterator<KubeObject>): KubeObject[] {
  const batch: KubeObject[] = [];
  while (batch.length < putsAtOnce) {
    const next = objects.next();
    if (next.done) break;
    batch.push(next.value);
  }
  return batch;
}

async function put(etcd: string, objects: readonly KubeObject[]): Promise<void> {
  const success = objects.map((object) => {
    const { namespace, name } = object.metadata;
    const path = [places[object.kind], namespace, name].filter((part) => part !== undefined);
    return {
      request_put: {
        key: Buffer.from(`/registry/${path.join('/')}`).toString('base64'),
        value: Buffer.from(JSON.stringify(object)).toString('base64'),
      },
    };
  });
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${etcd}/v3/kv/txn`, {
      method: 'POST',
      body: JSON.stringify({ success }),
    });
    if (response.ok) return;
    const message = `etcd answered ${response.status}: ${await response.text()}`;
    // On a busy machine etcd gives up too soon; what is put twice is there once.
    if (response.status !== 503 || attempt === putAttempts) throw new Error(message);
  }
}

/** The API server's caches follow etcd; a list is fair only when they have caught up. */
async function untilSeen(plane: ControlPlane): Promise<void> {
  for (const path of [
    '/api/v1/pods',
    '/apis/apps/v1/replicasets',
    '/api/v1/secrets',
    '/api/v1/configmaps',
  ]) {
    const list = await plane.get<{ metadata: { remainingItemCount?: number } }>(`${path}?limit=1`);
    const wanted = (list.metadata.remainingItemCount ?? 0) + 1;
    for (;;) {
      const cached = await plane.get<{ items: unknown[] }>(`${path}?resourceVersion=0&limit=0`);
      if (cached.items.length >= wanted) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

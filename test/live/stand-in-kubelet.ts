import type { Cluster } from '../support/cluster.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly restartPolicy: string;
    readonly affinity?: {
      readonly nodeAffinity: {
        readonly requiredDuringSchedulingIgnoredDuringExecution: {
          readonly nodeSelectorTerms: readonly {
            readonly matchFields?: readonly { readonly values: readonly string[] }[];
          }[];
        };
      };
    };
  };
  readonly status: { readonly phase: string };
}

/** Does what a scheduler and kubelets do to the API, once: binds, starts, finishes and ends pods. Resolves with how many it touched. */
export async function playKubelets(plane: Cluster, nodes: readonly string[]): Promise<number> {
  const items = await plane.list<Pod>('/api/v1/pods');
  const due = items.filter(
    ({ metadata, status }) => metadata.deletionTimestamp || status.phase === 'Pending',
  );
  const queue = [...due.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, pod] = next;
      await serve(plane, pod, nodes[index % nodes.length] ?? '');
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return due.length;
}

async function serve(plane: Cluster, pod: Pod, node: string): Promise<void> {
  const { name, namespace, deletionTimestamp } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  if (deletionTimestamp !== undefined) {
    await plane.remove(path, { gracePeriodSeconds: 0 });
    return;
  }
  if (!pod.spec.nodeName) {
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeOf(pod) ?? node };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    await plane.request(`${path}/binding`, { method: 'POST', body });
  }
  const ends = pod.spec.restartPolicy === 'Never';
  const ready = { type: 'Ready', status: ends ? 'False' : 'True' };
  const status = { phase: ends ? 'Succeeded' : 'Running', conditions: [ready] };
  await plane.merge(`${path}/status`, { status });
}

/** Pods of a DaemonSet name theirs. */
function nodeOf({ spec }: Pod): string | undefined {
  const required = spec.affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values[0];
}

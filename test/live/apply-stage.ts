import { deny } from '../support/admission.ts';
import type { Cluster } from '../support/cluster.ts';

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
  };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly lastTransitionTime: string }[];
  };
}

export async function podsOf(plane: Cluster, namespace: string): Promise<Pod[]> {
  const { items } = await plane.get<{ items: Pod[] }>(`/api/v1/namespaces/${namespace}/pods`);
  return items;
}

/** All that podgc may write. */
export async function endOf(plane: Cluster): Promise<unknown[]> {
  const pods = [...(await podsOf(plane, 'dead-a')), ...(await podsOf(plane, 'dead-b'))];
  return pods.map(({ metadata, status }) => ({
    name: metadata.name,
    isDeleting: metadata.deletionTimestamp !== undefined,
    grace: metadata.deletionGracePeriodSeconds,
    finalizers: metadata.finalizers,
    status: {
      ...status,
      conditions: status.conditions?.map((one) => ({ ...one, lastTransitionTime: '' })),
    },
  }));
}

/** From now on no pod called `frozen` takes a new status. */
export async function freeze(plane: Cluster): Promise<void> {
  const expression = "object.metadata.name != 'frozen'";
  const about = { operation: 'UPDATE', resource: 'pods/status' };
  await deny(plane, 'frozen', { ...about, expression, message: 'it is frozen' });
}

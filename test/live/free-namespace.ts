import type { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

/** Resolves when a namespace is not being deleted: another file may have had it a moment ago. */
export async function freeNamespace(plane: Cluster, name: string): Promise<void> {
  await eventually(
    `the namespace ${name} is free`,
    async () => {
      const { status, body } = await plane.request(`/api/v1/namespaces/${name}`);
      return status === 404 || !body.includes('deletionTimestamp') ? true : undefined;
    },
    60,
  );
}

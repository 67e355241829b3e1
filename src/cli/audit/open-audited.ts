import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { SeenKubelets } from '../../rules/audit-rule.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags.ts';
import { inOrder } from '../in-order.ts';
import { listCluster, openCluster, openFiles } from '../input.ts';
import { seeKubelets } from './see-kubelets.ts';

export interface Audited {
  readonly snapshot: Snapshot;
  /** Only a namespace was read. */
  readonly narrowed: boolean;
  readonly kubelets?: SeenKubelets;
}

/** The files; or the cluster with spec and status, as a whole or around one namespace. */
export async function openAudited(
  flags: CommonFlags,
  namespace: string | undefined,
  asksKubelets: boolean,
): Promise<Audited> {
  if (flags.from) {
    const read = await openFiles(flags, flags.from);
    const { kubeletManifests } = await import('./kubelet-manifests.ts');
    const { kubelets, problems } = await kubeletManifests(read);
    const seen = { ...read, coverage: { ...read.coverage, problems } };
    return { snapshot: asManifests(seen, flags.namespace), narrowed: false, kubelets };
  }
  const cluster = await openCluster(flags);
  try {
    const namespaces = namespace === undefined ? undefined : [namespace];
    const listed = await listCluster(cluster, namespaces, { facts: true });
    const { lookUpOwners } = await import('../../sources/cluster/look-up-owners.ts');
    const snapshot = inOrder(await lookUpOwners(cluster.client, listed));
    if (!asksKubelets || namespaces) return { snapshot, narrowed: namespaces !== undefined };
    return { snapshot, narrowed: false, kubelets: await seeKubelets(cluster.client, snapshot) };
  } finally {
    cluster.client.close();
  }
}

/** As `kubectl apply` takes them: `-n` is for those without a namespace, and none has a uid yet. */
function asManifests(snapshot: Snapshot, namespace = ''): Snapshot {
  const problems = problemsOfManifests(snapshot);
  const records = snapshot.records.map((record) =>
    record.type.namespaced && record.namespace === '' && namespace !== ''
      ? { ...record, namespace }
      : record,
  );
  return { ...snapshot, records, coverage: { ...snapshot.coverage, problems } };
}

/**
 * What of the problems of reading keeps an audit of files from being complete: not that manifests have
 * no uid before they are applied, nor the scope of a kind that has nothing to do with any owner.
 */
export function problemsOfManifests({ records, types, coverage }: Snapshot): CoverageProblem[] {
  const concerned = new Set(records.filter(hasOwners).flatMap(kindsOf));
  function kindsOf({ type, ownerReferences }: ObjectRecord): string[] {
    const owners = ownerReferences.map(
      ({ apiVersion, kind }) => types.find(apiVersion, kind) ?? type,
    );
    return [type, ...owners].map(groupResourceOf);
  }
  return coverage.problems.filter(
    ({ reason, resource = '' }) =>
      reason !== 'no-uid' && (reason !== 'unknown-kind' || concerned.has(resource)),
  );
}

function hasOwners({ ownerReferences }: ObjectRecord): boolean {
  return ownerReferences.length > 0;
}

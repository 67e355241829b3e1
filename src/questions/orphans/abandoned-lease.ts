import { isLed, leaseTime } from '../../kube/leader-lease.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isNode, isPod, leases, nodeLeases } from '../../kube/well-known-kinds.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';

/** A rollout may leave a Lease without a holder for minutes; milliseconds. */
const longestGap = 3_600_000;

/** API servers renew Leases of their own, which other rules judge, as kubelets do. */
const serverIdentity = 'apiserver.kubernetes.io/identity';

/**
 * The evidence that no program uses the Lease of a leader election: it was not renewed for an hour, and its holder, which names
 * itself by its Pod or Node (`NAME_SUFFIX`, as client-go's leader election does), is neither.
 */
export function abandonedLeasesIn(
  snapshot: Snapshot,
): (record: ObjectRecord) => string | undefined {
  const { records, coverage, types } = snapshot;
  const all = records.filter(({ type }) => groupResourceOf(type) === leases);
  const holders = new Set(
    records.flatMap((record) =>
      isPod(record) ? [`${record.namespace}/${record.name}`] : isNode(record) ? [record.name] : [],
    ),
  );
  const index = coverageIndexOf(coverage);
  const isRead = (kind: string, namespace: string) => {
    const type = types.ofKind('', kind);
    return type !== undefined && index.coversKind(type, namespace);
  };
  const now = Date.parse(snapshot.observedAt);
  return (lease) => {
    const { type, namespace, labels, facts } = lease;
    if (groupResourceOf(type) !== leases) return undefined;
    if (namespace === nodeLeases || labels?.[serverIdentity] !== undefined) return undefined;
    const { holderIdentity = '', renewTime } = facts ?? {};
    const [holder = ''] = holderIdentity.split('_');
    if (holder === '' || renewTime === undefined) return undefined;
    if (holders.has(`${namespace}/${holder}`) || holders.has(holder)) return undefined;
    if (!isRead('Pod', namespace) || !isRead('Node', '')) return undefined;
    const ofCluster = isOfCluster(snapshot);
    const time = leaseTime(lease, all, now, ofCluster);
    const isStale = time !== undefined && time - Date.parse(renewTime) > longestGap;
    if (!isStale || isLed(lease, all, now, ofCluster) !== false) return undefined;
    return `its holder ${holder} is no Pod in namespace ${namespace} and no Node, and last renewed it at ${renewTime}`;
  };
}

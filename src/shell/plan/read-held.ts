import { knownFinalizers } from '../../controllers/finalizers/known-finalizers.ts';
import { isProgram, looksLike } from '../../controllers/finalizers/program-life.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { dependentsOf } from '../../snapshot/graph/subgraph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';

type Held = (
  snapshot: Snapshot,
  targets: readonly ObjectRecord[],
) => Promise<readonly ObjectRecord[]>;

/**
 * Where an operator may be among what goes, reads the custom resources of all namespaces, once, to see which
 * have a finalizer that only the operator removes. What may not be read is only not known.
 */
export function heldReader(cluster: OpenedCluster): Held {
  let read: Promise<readonly ObjectRecord[]> | undefined;
  return async (snapshot, targets) => {
    const coverage = coverageIndexOf(snapshot.coverage);
    const kinds = cluster.types
      .preferred()
      .filter((type) => !isBuiltInGroup(type.group) && !coverage.coversEverywhere(type))
      .map(groupResourceOf);
    if (kinds.length === 0) return [];
    const { nodes } = dependentsOf(buildGraph(snapshot), targets);
    const isOperator = [...nodes.values()].some(
      (node) => 'record' in node && isProgram(node.record) && looksLikeOperator(node.record),
    );
    if (!isOperator) return [];
    read ??= readCluster(cluster, { kinds, latest: true }).then(({ records }) =>
      records.filter(({ finalizers }) => finalizers.length > 0),
    );
    const seen = new Set(snapshot.records.map(({ uid }) => uid));
    return (await read).filter(({ uid }) => !seen.has(uid));
  };
}

/** What operators are called. */
const operatorLike = /(^|-)(operator|controller|manager)(-|$)/;

function looksLikeOperator(record: ObjectRecord): boolean {
  return (
    operatorLike.test(record.name) ||
    knownFinalizers.some(({ setBy }) => setBy.runsIn === 'workload' && looksLike(record, setBy))
  );
}

import { knownFinalizers } from '../../controllers/finalizers/known-finalizers.ts';
import { isProgram, looksLike } from '../../controllers/finalizers/program-life.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import type { ReadForPlan } from './read-for-plan.ts';

/**
 * Where an operator may be among what goes, reads the custom resources of all namespaces to see which
 * have a finalizer that only the operator removes. What may not be read is only not known.
 */
export async function readHeld(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
): Promise<readonly ObjectRecord[]> {
  const isOperator = (record: ObjectRecord) => isProgram(record) && looksLikeOperator(record);
  if (!going.some(isOperator)) return [];
  const coverage = coverageIndexOf(snapshot.coverage);
  const kinds = cluster.types
    .preferred()
    .filter((type) => !isBuiltInGroup(type.group) && !coverage.coversEverywhere(type))
    .map(groupResourceOf);
  if (kinds.length === 0) return [];
  const { records } = await readCluster(cluster, { kinds, latest: true });
  const seen = new Set(snapshot.records.map(({ uid }) => uid));
  return records.filter(({ uid, finalizers }) => finalizers.length > 0 && !seen.has(uid));
}

/** What operators are called. */
const operatorLike = /(^|-)(operator|controller|manager)(-|$)/;

function looksLikeOperator(record: ObjectRecord): boolean {
  return (
    operatorLike.test(record.name) ||
    knownFinalizers.some(({ setBy }) => setBy.runsIn === 'workload' && looksLike(record, setBy))
  );
}

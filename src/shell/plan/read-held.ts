import { runsController } from '../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizers } from '../../controllers/finalizers/known-finalizers.ts';
import { imagesOf, isProgram } from '../../controllers/finalizers/program-life.ts';
import type { ReadApart } from '../../deletion/plan/plan.ts';
import { isOperatorVersion } from '../../delivery/olm.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import type { ReadForPlan } from './read-for-plan.ts';

/**
 * Where an operator may be among what goes, reads the custom resources of all namespaces to see which
 * have a finalizer that only the operator removes. Of what may not be read, the plan says so.
 */
export async function readHeld(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
): Promise<ReadApart> {
  const isOperator = (record: ObjectRecord) =>
    isOperatorVersion(record) || (isProgram(record) && looksLikeOperator(record));
  if (!going.some(isOperator)) return nothing;
  const coverage = coverageIndexOf(snapshot.coverage);
  const kinds = cluster.types
    .preferred()
    .filter((type) => !isBuiltInGroup(type.group) && !coverage.coversEverywhere(type))
    .map(groupResourceOf);
  if (kinds.length === 0) return nothing;
  const read = await readCluster(cluster, { kinds, latest: true });
  const seen = new Set(snapshot.records.map(({ uid }) => uid));
  return {
    records: read.records.filter(({ uid, finalizers }) => finalizers.length > 0 && !seen.has(uid)),
    unread: [...new Set(read.coverage.problems.flatMap(({ resource }) => resource ?? []))],
  };
}

const nothing: ReadApart = { records: [], unread: [] };

/** What operators are called. */
const operatorLike = /(^|-)(operator|controller|manager)(-|$)/;

const operators = [...new Set(knownFinalizers().map(({ setBy }) => setBy))].filter(
  ({ runsIn }) => runsIn === 'workload',
);

export function looksLikeOperator(record: ObjectRecord): boolean {
  if (operatorLike.test(record.name)) return true;
  const images = imagesOf(record);
  return operators.some((one) => runsController(record, one, images));
}

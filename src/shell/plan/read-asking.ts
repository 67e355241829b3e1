import { isProgram } from '../../controllers/finalizers/program-life.ts';
import type { ReadApart } from '../../deletion/plan/plan.ts';
import { lostBackends } from '../../deletion/remarks/left-without-backend.ts';
import { webhookConfigurationTypes } from '../../kube/core-types.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import type { ReadForPlan } from './read-for-plan.ts';
import { looksLikeOperator } from './read-held.ts';

/**
 * Where Services lose what answers for them, reads what may ask them: webhooks, APIServices and definitions. Definitions are
 * large: they are read only for what is called as an operator or a webhook, and only then it is worth a word that
 * something could not be read.
 */
export async function readAsking(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
): Promise<ReadApart> {
  if (lostBackends(snapshot.records, going).length === 0) return { records: [], unread: [] };
  const isLikely = going.some(
    (record) => isProgram(record) && (looksLikeOperator(record) || /webhook/.test(record.name)),
  );
  const kinds = [
    ...webhookConfigurationTypes.map(groupResourceOf),
    'apiservices.apiregistration.k8s.io',
    ...(isLikely ? ['customresourcedefinitions.apiextensions.k8s.io'] : []),
  ];
  const { records, coverage } = await readCluster(cluster, { kinds, facts: 'all', latest: true });
  return {
    records,
    unread: isLikely ? coverage.problems.flatMap(({ resource }) => resource ?? []) : [],
  };
}

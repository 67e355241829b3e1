import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { getObjects } from '../../cluster/list/get-objects.ts';
import { defaultRetryPolicy } from '../../cluster/pacing.ts';
import { conversionMessage, isConversionFailure } from '../../cluster/unlistable.ts';
import { disappearingIn } from '../../deletion/plan/disappearing.ts';
import type { Planned } from '../../deletion/plan/plan.ts';
import type { Refusals } from '../../deletion/plan/proven-refusals.ts';
import { crdType } from '../../kube/core-types.ts';
import { bareRecord, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';

/** The maximum number of kinds of which an object is read. */
const mostRead = 30;

/**
 * The custom resources that no controller can delete, as their conversion webhook does not answer, by uid. A list is answered from
 * the watch cache of the API server, which may have converted them long ago; a deletion reads the object from etcd first, as a GET does
 * (Store.Delete, k8s.io/apiserver registry/generic). One object of each kind is read.
 */
export async function unconvertedAmong(
  client: ClusterClient,
  { plan, snapshot }: Planned,
  signal: AbortSignal,
): Promise<Refusals> {
  const asked = new Set(plan.requests.map(({ uid }) => uid));
  const going = new Set(disappearingIn(plan).flatMap(({ uid }) => (asked.has(uid) ? [] : uid)));
  const custom = snapshot.records.filter(
    ({ uid, type }) => going.has(uid) && !isBuiltInGroup(type.group),
  );
  const kinds = Map.groupBy(custom, ({ type }) => groupResourceOf(type));
  const first = [...kinds.values()].flatMap(([record]) => record ?? []).slice(0, mostRead);
  const answers = await getObjects(client, first, {
    signal,
    retry: { ...defaultRetryPolicy, tries: 1 },
  });
  return new Map(
    answers.flatMap(({ asked: { type }, problem }) => {
      if (!problem || !isConversionFailure(problem.message)) return [];
      const resource = groupResourceOf(type);
      const refusal = refusalBy(resource, conversionMessage(problem.message), snapshot.records);
      return (kinds.get(resource) ?? []).map(({ uid }) => [uid, refusal] as const);
    }),
  );
}

function refusalBy(resource: string, message: string, records: readonly ObjectRecord[]) {
  const isDefinition = ({ type, name }: ObjectRecord) =>
    type.kind === crdType.kind && name === resource;
  const configuration =
    records.find(isDefinition) ?? bareRecord({ type: crdType, namespace: '', name: resource });
  return {
    configuration,
    webhook: resource,
    because: message,
    fix: `First bring the webhook back, or set spec.conversion.strategy of CustomResourceDefinition ${resource} to None.`,
  };
}

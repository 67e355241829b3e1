import { waitsForProgram } from '../../deletion/plan/finalizer-programs.ts';
import type { PlanContext, Planned, PlannedCluster, ReadApart } from '../../deletion/plan/plan.ts';
import { planFrom } from '../../deletion/plan/plan-deletion.ts';
import { lostBackends } from '../../deletion/plan/play/lost-backends.ts';
import { isOperatorVersion } from '../../delivery/olm.ts';
import { leaseType, webhookConfigurationTypes, workloadTypes } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import {
  type FinalizerController,
  knownFinalizers,
  runsController,
} from '../../programs/known-finalizers.ts';
import { imagesOf, isProgram, podsAlone, podsReady } from '../../programs/program-life.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import { readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';
import { computing } from '../terminal/interruption.ts';
import { contextOf } from './planning.ts';
import {
  type NearTargets,
  type ReadForPlan,
  readForPlan,
  sameObjects,
  withLiftedRefusals,
} from './read-for-plan.ts';

export async function readRestAndPlan(
  { near, seen }: { readonly near: NearTargets | undefined; readonly seen: SeenSettings },
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  const first = await readForPlan(cluster, named, near?.snapshot, seen);
  const workloads = first.going.filter(isProgram);
  const hasOperator = workloads.some(looksLikeOperator);
  const isAsked = hasOperator || workloads.some(({ name }) => /webhook/.test(name));
  const [customResourcesElsewhere, webhooksAndApiServices, roleBindings] = await Promise.all([
    readCustomResources(cluster, first, hasOperator),
    readWebhooksAndApiServices(cluster, first, isAsked),
    readRoleBindings(cluster, first),
  ]);
  const apart = webhooksAndApiServices.records;
  const read = await withLiftedRefusals(cluster, first, apart, named, seen);
  const { snapshot, reached, reach, endedPodsUnread } = read;
  const finalizerPrograms = await readPrograms(cluster, {
    snapshot,
    reached: [...reached, ...customResourcesElsewhere.records],
  });
  const context = {
    ...contextOf(snapshot, where, seen),
    finalizerPrograms,
    customResourcesElsewhere,
    webhooksAndApiServices,
    roleBindings,
    reach,
    ...(endedPodsUnread && { endedPodsUnread }),
  };
  const targets = sameObjects(snapshot, named);
  const evidence = { snapshot, targets, context, listVersions: near?.listVersions };
  return computing(() => planFrom(evidence, options));
}

/**
 * If an operator may be among the deleted objects, reads the custom resources of all namespaces to find those
 * with a finalizer that only the operator removes. The plan names the kinds that may not be read.
 */
async function readCustomResources(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
  hasOperator: boolean,
): Promise<ReadApart> {
  if (!hasOperator && !going.some(isOperatorVersion)) return nothingApart;
  const coverage = coverageIndexOf(snapshot.coverage);
  const kinds = cluster.types
    .preferred()
    .filter((type) => !isBuiltInGroup(type.group) && !coverage.coversEverywhere(type))
    .map(groupResourceOf);
  if (kinds.length === 0) return nothingApart;
  const read = await readCluster(cluster, { kinds, latest: true });
  const seen = new Set(snapshot.records.map(({ uid }) => uid));
  return {
    records: read.records.filter(({ uid, finalizers }) => finalizers.length > 0 && !seen.has(uid)),
    unread: [...new Set(read.coverage.problems.flatMap(({ resource }) => resource ?? []))],
  };
}

const nothingApart: ReadApart = { records: [], unread: [] };

const operatorLike = /(^|-)(operator|controller|manager)(-|$)/;

/** Most deletions have no workload, and do without the table. */
let operators: readonly FinalizerController[] | undefined;

function looksLikeOperator(record: ObjectRecord): boolean {
  if (operatorLike.test(record.name)) return true;
  operators ??= [...new Set(knownFinalizers().map(({ setBy }) => setBy))].filter(
    ({ runsIn }) => runsIn === 'workload',
  );
  const images = imagesOf(record);
  return operators.some((one) => runsController(record, one, images));
}

/**
 * Where Services lose what answers for them, reads what may ask them: webhooks, APIServices and definitions. Definitions are
 * large: they are read only for what is called as an operator or a webhook, and only then it is worth a word that
 * something could not be read.
 */
async function readWebhooksAndApiServices(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
  isLikely: boolean,
): Promise<ReadApart> {
  if (lostBackends(snapshot.records, going).length === 0) return nothingApart;
  const kinds = [
    ...webhookConfigurationTypes.map(groupResourceOf),
    'apiservices.apiregistration.k8s.io',
    ...(isLikely ? ['customresourcedefinitions.apiextensions.k8s.io'] : []),
  ];
  const { records, unread } = await readApart(cluster, kinds);
  return { records, unread: isLikely ? unread : [] };
}

const bindingKinds = ['rolebindings', 'clusterrolebindings'].map(
  (plural) => `${plural}.rbac.authorization.k8s.io`,
);

/** Bindings name ServiceAccounts of any namespace. */
async function readRoleBindings(
  cluster: OpenedCluster,
  { going }: ReadForPlan,
): Promise<ReadApart> {
  if (!going.some(({ type }) => groupResourceOf(type) === 'serviceaccounts')) return nothingApart;
  return readApart(cluster, bindingKinds);
}

async function readApart(cluster: OpenedCluster, kinds: readonly string[]): Promise<ReadApart> {
  const { records, coverage } = await readCluster(cluster, { kinds, facts: 'all', latest: true });
  return { records, unread: coverage.problems.flatMap(({ resource }) => resource ?? []) };
}

/** In so many namespaces at most Pods without a workload are read. */
const fewNamespaces = 3;

/**
 * Who may remove the finalizers of others is mostly in another namespace: its workloads and Leases are read
 * apart, as they are no part of what is deleted, and the pods beside a workload without a ready one and of no workload. What may not be
 * read is only not known.
 */
async function readPrograms(
  cluster: OpenedCluster,
  { snapshot, reached }: Pick<ReadForPlan, 'snapshot' | 'reached'>,
): Promise<PlanContext['finalizerPrograms']> {
  if (!reached.some(waitsForProgram)) return undefined;
  const seen = new Set(snapshot.records.flatMap(({ uid, facts }) => (facts ? uid : [])));
  const workloads = new Set(workloadTypes.map(groupResourceOf));
  const kinds = [...workloads, groupResourceOf(leaseType)];
  const read = await readCluster(cluster, { kinds, facts: true, latest: true });
  const down = read.records.filter(
    (record) =>
      workloads.has(groupResourceOf(record.type)) &&
      record.facts?.replicas !== 0 &&
      podsReady(record, true).state === 'down',
  );
  const bare = podsAlone([...read.records, ...snapshot.records.filter(isPod)]).filter(
    ({ facts }) => facts === undefined,
  );
  // A few Pods, as static ones, may be such a program themselves: only their images show it.
  const few = new Set(bare.map(({ namespace }) => namespace));
  const namespaces = [
    ...new Set([
      ...down.map(({ namespace }) => namespace),
      ...(few.size <= fewNamespaces ? few : []),
    ]),
  ];
  const pods =
    namespaces.length === 0
      ? []
      : (await readCluster(cluster, { namespaces, kinds: ['pods'], facts: true, latest: true }))
          .records;
  const more = [...read.records, ...pods].filter(({ uid }) => !seen.has(uid));
  return { records: more, coverage: read.coverage };
}

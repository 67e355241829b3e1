import { pruneMarkOf } from '../../delivery/pruning.ts';
import { entryKey } from '../../delivery/tool.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, fullNameOf, referenceTo } from '../../kube/object-reference.ts';
import { namesContainer } from '../../kube/well-known-kinds.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Plan, PlanContext, PlanRemark } from './plan.ts';
import { planDeletion } from './plan-deletion.ts';
import { canDisappear } from './plan-totals.ts';

/** Manifests before and after a change, and the cluster that they are applied to, where it is known. */
export interface Pruning {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly cluster: Snapshot | undefined;
  /** Of manifests that name none. */
  readonly namespace: string;
}

/**
 * What is pruned when manifests change, as the plan of its deletion: what stands in the old ones alone. It is an upper
 * bound: which tool applies them, and whether it prunes at all, is not known.
 */
export function planPruning(
  { before, after, cluster, namespace }: Pruning,
  context: PlanContext,
): Plan {
  const placeOf = ({ type: { group, kind, namespaced }, namespace: own, name }: ObjectRecord) =>
    entryKey({ group, kind, namespace: namespaced ? own || namespace : '', name });
  const kept = new Set(after.records.map(placeOf));
  const pruned = before.records.filter((record) => !kept.has(placeOf(record)));
  const there = cluster && new Map(cluster.records.map((record) => [placeOf(record), record]));
  const targets = there ? pruned.flatMap((record) => there.get(placeOf(record)) ?? []) : pruned;
  const plan = planDeletion(cluster ?? before, { targets, policy: 'Background' }, context);
  const problems = [
    ...plan.coverage.problems,
    ...(cluster ? before.coverage.problems.filter(isUnread) : []),
    ...after.coverage.problems.filter(isUnread),
  ].filter(({ reason }) => reason !== 'no-uid');
  return {
    ...plan,
    remarks: [...plan.remarks, ...absentRemark(pruned.length - targets.length), ...marked(pruned)],
    coverage: { ...plan.coverage, problems, complete: problems.length === 0 },
  };
}

/** A manifest has no uid, and never all kinds. */
export function isUnread({ reason }: CoverageProblem): boolean {
  return reason !== 'not-in-input' && reason !== 'no-uid';
}

function absentRemark(count: number): PlanRemark[] {
  if (count === 0) return [];
  const [is, it] = count === 1 ? ['is', 'it'] : ['are', 'they'];
  const message = `${counted(count, 'object')} of the old manifests ${is} not in the snapshot of the cluster: ${it} ${is} not counted.`;
  return [{ code: 'delivered', severity: 'note', message, objects: [] }];
}

/** A mark is one tool's: of another one it is no reason to stay. */
function marked(pruned: readonly ObjectRecord[]): PlanRemark[] {
  const found = pruned.flatMap((record) => {
    const mark = pruneMarkOf(record);
    return mark ? [{ record, mark }] : [];
  });
  const groups = Map.groupBy(found, ({ mark }) => mark.mark);
  return [...groups].map(([mark, group]) => {
    const objects = group.map(({ record }) => referenceTo(record)).sort(compareObjects);
    const message = `${group[0]?.mark.tool} leaves ${countsByKind(objects)}, by ${mark}; another tool does not.`;
    return { code: 'delivered', severity: 'note', message, objects };
  });
}

/**
 * The deletions that a change of manifests must not cause unnoticed: namespaces and definitions, because their content is
 * deleted, and claims whose data is lost or might be.
 */
export function dangersIn({ objects, remarks }: Plan): string[] {
  const homes = objects.filter((object) => canDisappear(object) && namesContainer(object));
  const claims = remarks
    .filter(({ code }) => code === 'data')
    .flatMap((remark) => remark.objects.filter(({ kind }) => kind === 'PersistentVolumeClaim'));
  return [...homes, ...claims].map(fullNameOf);
}

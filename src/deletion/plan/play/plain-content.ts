import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { knownNodeOf } from '../../../kube/pod-use.ts';
import { storedAs } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import {
  gracePeriodOf,
  isNamespace,
  isNode,
  isPod,
  isPodTerminal,
} from '../../../kube/well-known-kinds.ts';
import { actingAmong } from '../../../simulator/engine/acting-records.ts';
import { ClusterState } from '../../../simulator/engine/cluster-state.ts';
import { hasStopped } from '../../../simulator/kubelet.ts';
import { namespaceEnds } from '../../../simulator/namespaces/simulated-namespaces.ts';
import { linksAmong, type Reach } from '../../../simulator/reach.ts';
import { contentKindsOf } from '../../../snapshot/graph/kinds-not-in-input.ts';

/**
 * Content that is deleted with the requested namespaces in every order of events, if these namespaces are removed: nothing
 * blocks it, the namespace controller deletes it (GC-72), and all objects that it affects are deleted, too. It need not be played.
 */
export function plainContentOf(
  { members, backdrop, within }: Reach,
  targets: readonly ObjectRecord[],
  types: ResourceTypes,
  isRefused: (record: ObjectRecord) => boolean,
): ReadonlySet<ObjectRecord> {
  const homes = targets.filter(isNamespace);
  const [first] = homes;
  // If a reference leads out of the namespaces, an object outside may block the content.
  if (!first || !within) return new Set();
  const kinds = new Set(contentKindsOf(types, first).map(storedAs));
  const served = [...new Set(members.map(({ type }) => type))];
  const deleted = new Set(served.filter((type) => kinds.has(storedAs(type))));
  const names = new Set(homes.map(({ name }) => name));
  const asked = new Set(targets.map(({ uid }) => uid));
  const nodes = new Set([...members, ...backdrop].filter(isNode).map(({ name }) => name));
  const isPlain = (record: ObjectRecord) =>
    names.has(record.namespace) &&
    record.finalizers.length === 0 &&
    !isBeingDeleted(record) &&
    !asked.has(record.uid) &&
    !isRefused(record) &&
    deleted.has(record.type) &&
    (!isPod(record) || ends(record, nodes));
  const state = new ClusterState(types, members);
  const acts = { owners: state.first, canDisappear: () => false, links: linksAmong(state) };
  const others = actingAmong(members, acts).actingWith(members.filter((one) => !isPlain(one)));
  return new Set(members.filter((record) => !others.has(record)));
}

/** What becomes of plain content, in words. */
export function whyContentGoes(record: ObjectRecord): string {
  const because = namespaceEnds(record.namespace);
  const grace = isPod(record) && !endsAtOnce(record) ? gracePeriodOf(record) : 0;
  return grace === 0 ? because : `${because}; ${hasStopped(record, grace)}`;
}

/** Is a pod gone once its grace period is over? A Node that is not well is reached itself, and leads out of the namespaces. */
function ends(pod: ObjectRecord, nodes: ReadonlySet<string>): boolean {
  return endsAtOnce(pod) || (gracePeriodOf(pod) >= 0 && nodes.has(knownNodeOf(pod) ?? ''));
}

function endsAtOnce(pod: ObjectRecord): boolean {
  return knownNodeOf(pod) === undefined || isPodTerminal(pod);
}

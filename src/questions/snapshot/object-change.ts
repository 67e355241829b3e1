import type { ObjectDifference } from '../../history/compare/compare-objects.ts';
import type { ObjectPair } from '../../history/compare/compare-snapshots.ts';
import { type EndReason, explainLostReference } from '../../history/compare/explain-ends.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type Evidence, fieldManagersIn } from '../../snapshot/evidence.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';

/** What `snapshot diff` says of an object that is not as it was. */
export interface ObjectChange extends Omit<ObjectDifference, 'owners'> {
  readonly owners?: {
    readonly added: readonly AddedOwner[];
    readonly removed: readonly RemovedOwner[];
  };
}

export interface AddedOwner extends OwnerReference {
  /** The field manager that set it, where that was read. */
  readonly manager?: string;
}

export interface RemovedOwner extends OwnerReference {
  readonly reason?: EndReason;
}

/** `evidence`: of the later snapshot; `graph`: of it, too, undefined where nothing can be explained. */
export function objectChangeOf(
  { before, after }: ObjectPair,
  { owners, ...rest }: ObjectDifference,
  evidence: Evidence | undefined,
  graph: Graph | undefined,
): ObjectChange {
  if (!owners) return rest;
  const changed = new Set(owners.added.map(({ uid }) => uid));
  const removed = owners.removed.map((reference): RemovedOwner => {
    const { uid } = reference;
    const reason =
      graph && !changed.has(uid) ? explainLostReference(graph, before, uid) : undefined;
    return { ...reference, ...(reason && { reason }) };
  });
  return { ...rest, owners: { added: addedOwners(after, owners.added, evidence), removed } };
}

/** Who set these references of an object, as far as it was read. */
function addedOwners(
  record: ObjectRecord,
  references: readonly OwnerReference[],
  evidence: Evidence | undefined,
): AddedOwner[] {
  const managers = fieldManagersIn(evidence)(record);
  return references.map((reference) => {
    const manager = managers?.find(({ uid }) => uid === reference.uid)?.manager;
    return { ...reference, ...(manager !== undefined && { manager }) };
  });
}

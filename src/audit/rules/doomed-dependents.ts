import { type Judgement, judgementsIn } from '../../controllers/garbage-collector/judge.ts';
import { countsByKind } from '../../kube/counts-by-kind.ts';
import {
  byContent,
  FOREGROUND,
  isBeingDeleted,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { groupResourceOf, isMonitored } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace } from '../../kube/well-known-kinds.ts';
import { classifyReference } from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { invalidReferencesCommandOf } from '../../why/fix-request.ts';
import type { Rule } from '../rule.ts';

export const doomedDependents: Rule = {
  id: 'doomed-dependents',
  title: 'An object that takes others along when the garbage collector deletes it',
  severity: 'error',
  consequence: 'deleted after it: with it, its dependents lose their last owner',
  advice: 'Fix the references of the object before the garbage collector comes to it.',
  check: ({ graph }) => {
    const lost = [...judgementsIn(graph)].flatMap(([record, judgement]) =>
      hasMissingOwner(judgement) ? [record] : [],
    );
    if (lost.length === 0) return [];
    const fallOfOne = cascadeOf(graph, lost);
    return lost.flatMap((record) => {
      const fallen = fallOfOne(record);
      if (fallen.length === 0) return [];
      return [
        {
          object: record,
          message: `the next pass deletes it, and ${fallen.length} more ${fallen.length === 1 ? 'object is' : 'objects are'} deleted with it: ${countsByKind(fallen.map(({ type }) => type))}`,
          related: fallen.slice(0, 10),
          fix: {
            summary: 'fix its references before the garbage collector comes to it',
            command: invalidReferencesCommandOf(record, '--fix'),
          },
        },
      ];
    });
  },
};

/** Deleted because an owner is missing, not because that owner is being deleted. */
function hasMissingOwner({ action, references }: Judgement): boolean {
  return action === 'delete' && !references.some(({ class: cls }) => cls === 'waiting');
}

/**
 * What else is deleted once the garbage collector deletes all of these: dependents that are left
 * without an owner, and contents. The result also shows which of them depends on which.
 */
function cascadeOf(
  graph: Graph,
  deleted: readonly ObjectRecord[],
): (root: ObjectRecord) => ObjectRecord[] {
  const roots = new Set(deleted);
  const fallen = new Set(deleted);
  spread(deleted, fallen, (record) =>
    [...dependentsOf(record), ...contentToDelete(graph, record)].filter(
      (other) => contains(record, other) || hasNoOwnerLeft(other),
    ),
  );
  return (root) => {
    const own = new Set([root]);
    spread([root], own, (record) =>
      [...dependentsOf(record), ...contentToDelete(graph, record)].filter((other) =>
        fallen.has(other),
      ),
    );
    return [...own].filter((record) => !roots.has(record)).sort(byContent);
  };

  function dependentsOf(owner: ObjectRecord): ObjectRecord[] {
    if (!isEnding(owner)) return [];
    return graph
      .dependentsOf(owner.uid)
      .filter((one) => isMonitored(one.type) && !isBeingDeleted(one) && isOwnedBy(one, owner));
  }

  function isOwnedBy(record: ObjectRecord, owner: ObjectRecord): boolean {
    return record.ownerReferences.some(
      (reference) => classifyReference(graph, record, reference).found === owner,
    );
  }

  function hasNoOwnerLeft(record: ObjectRecord): boolean {
    return record.ownerReferences.every((reference) => {
      const { class: cls, found } = classifyReference(graph, record, reference);
      if (cls === 'dangling' || cls === 'waiting') return true;
      return cls === 'solid' && found !== undefined && fallen.has(found) && isEnding(found);
    });
  }
}

/** Follows `next` from each of `start`; what it meets is added to `seen`. */
function spread(
  start: readonly ObjectRecord[],
  seen: Set<ObjectRecord>,
  next: (record: ObjectRecord) => readonly ObjectRecord[],
): void {
  const open = [...start];
  for (let record = open.pop(); record; record = open.pop()) {
    for (const other of next(record)) {
      if (seen.has(other)) continue;
      seen.add(other);
      open.push(other);
    }
  }
}

/** Is it no owner any more once it is deleted? A finalizer lets it live on as one; orphan lets its dependents go. */
function isEnding({ finalizers }: ObjectRecord): boolean {
  return finalizers.every((finalizer) => finalizer === FOREGROUND);
}

/** What is deleted along with a namespace or a definition, whatever owners it has. */
function contentToDelete({ snapshot }: Graph, record: ObjectRecord): ObjectRecord[] {
  if (!isNamespace(record) && !isCustomResourceDefinition(record)) return [];
  return snapshot.records.filter(
    (other) =>
      contains(record, other) && !isBeingDeleted(other) && other.type.verbs.includes('delete'),
  );
}

function contains(record: ObjectRecord, other: ObjectRecord): boolean {
  if (isNamespace(record)) return other.namespace === record.name;
  return isCustomResourceDefinition(record) && groupResourceOf(other.type) === record.name;
}

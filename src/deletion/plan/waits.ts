import { compareText } from '../../kube/names.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { compareObjects } from '../../kube/object-reference.ts';
import { CRD_CLEANUP } from '../../simulator/api-server/delete-object.ts';
import { removersIn } from './finalizer-programs.ts';
import type { DeletionOrder, FinalizerWait } from './plan.ts';
import { relationsAmong } from './relations.ts';
import { hasCondition, type Released } from './release-finalizers.ts';
import type { TouchedObject } from './touched-objects.ts';

const simulated: ReadonlySet<string> = new Set([FOREGROUND, ORPHAN, CRD_CLEANUP]);

/**
 * The finalizers that hold an object which is being deleted until a program removes them that is not
 * simulated. Those of kube-controller-manager whose conditions are known are not among them.
 */
export function foreignFinalizers(end: ObjectRecord): readonly string[] {
  if (!isBeingDeleted(end)) return [];
  return end.finalizers.filter((name) => !simulated.has(name) && !hasCondition(name));
}

/**
 * Which removals lead to what becomes of an object in the end: of its own finalizers and, where it waits
 * for its dependents or its content, of theirs; where it is reached only then, of those that hold what it
 * goes along with. From the leaves up, an object waits for all that is requested before it.
 */
export function waitsAmong(
  touched: readonly TouchedObject[],
  removed: Released,
  records: readonly ObjectRecord[],
  order: DeletionOrder,
): (object: TouchedObject) => FinalizerWait[] {
  const { below, above, home } = relationsAmong(touched);
  const removerOf = removersIn(records);
  return (object) => {
    const waits: FinalizerWait[] = [];
    const seen = new Set<TouchedObject>([object]);
    for (const at of seen) {
      for (const finalizer of removed.get(at.key) ?? []) {
        const removedBy = removerOf(finalizer, at.record.type);
        waits.push({ finalizer, object: at.identity, ...(removedBy && { removedBy }) });
      }
      if (order === 'leaf-first') for (const other of below(at)) seen.add(other);
      else if (!isHolding(at)) for (const other of [...above(at), ...home(at)]) seen.add(other);
      else for (const other of below(at)) if (isHolding(other)) seen.add(other);
    }
    return waits.sort(
      (a, b) => compareObjects(a.object, b.object) || compareText(a.finalizer, b.finalizer),
    );
  };
}

/** Is it on its way, so that what it belongs to waits for it? */
function isHolding({ end }: TouchedObject): boolean {
  return end !== undefined && isBeingDeleted(end);
}

import { compareText } from '../../kube/names.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { compareObjects } from '../../kube/object-reference.ts';
import { CRD_CLEANUP } from '../../simulator/api-server/delete-object.ts';
import type { removersIn } from './finalizer-programs.ts';
import type { DeletionOrder, FinalizerWait } from './plan.ts';
import { followedAmong, relationsAmong } from './relations.ts';
import { hasCondition, type Released } from './release-finalizers.ts';
import type { TouchedObject } from './touched-objects.ts';

const simulated: ReadonlySet<string> = new Set([FOREGROUND, ORPHAN, CRD_CLEANUP]);

/**
 * The finalizers that hold an object which is being deleted until a program removes them that is not
 * simulated. Those of kube-controller-manager whose conditions are known are not among them.
 */
export function foreignFinalizers(end: ObjectRecord): readonly string[] {
  if (!isBeingDeleted(end)) return [];
  return end.finalizers.filter(isForeign);
}

/** Does a program remove the finalizer that is not simulated? */
export function isForeign(finalizer: string): boolean {
  return !simulated.has(finalizer) && !hasCondition(finalizer);
}

/** Which removals lead to what becomes of an object in the end. */
export interface Waits {
  /** Those that are known to; none where nothing that is known leads to the object. */
  readonly of: (object: TouchedObject) => FinalizerWait[];
  /** All of them, of whatever object. */
  readonly all: () => FinalizerWait[];
}

/**
 * An object waits for the removal of its own finalizers and, where it waits for its dependents or its
 * content, of theirs; where it is reached only then, of those that hold what it goes along with. From the
 * leaves up, an object waits for all that is requested before it.
 */
export function waitsAmong(
  touched: readonly TouchedObject[],
  removed: Released,
  removerOf: ReturnType<typeof removersIn>,
  order: DeletionOrder,
): Waits {
  const { below, above, home } = relationsAmong(touched);
  const followed = followedAmong(touched);
  const waitsOn = (objects: Iterable<TouchedObject>): FinalizerWait[] =>
    [...objects]
      .flatMap(({ key, record, identity: object }) =>
        (removed.get(key) ?? []).map(
          (finalizer): FinalizerWait => ({
            finalizer,
            object,
            ...removerOf(finalizer, record.type),
          }),
        ),
      )
      .sort((a, b) => compareObjects(a.object, b.object) || compareText(a.finalizer, b.finalizer));
  return {
    of: (object) => {
      const seen = new Set<TouchedObject>([object]);
      for (const at of seen) {
        const next =
          order === 'leaf-first'
            ? below(at)
            : isHolding(at)
              ? below(at).filter(isHolding)
              : [...above(at), ...home(at), ...followed(at)];
        for (const other of next) seen.add(other);
      }
      return waitsOn(seen);
    },
    all: () => waitsOn(touched),
  };
}

/** Is it on its way, so that what it belongs to waits for it? */
function isHolding({ end }: TouchedObject): boolean {
  return end !== undefined && isBeingDeleted(end);
}

import { type ObjectReference, objectKey } from '../../../kube/object-reference.ts';
import { namesNamespace } from '../../../kube/well-known-kinds.ts';
import { type Undetermined, withoutExamples } from '../../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../../simulator/simulation.ts';

/** What becomes of the objects of a scope. */
export interface Plays {
  /** Without the deletion. */
  readonly untouched: Simulation;
  /** With the deletion, while all blockers stay. */
  readonly held: Simulation;
  /** With the deletion, after all blockers are removed; `held` if there are none. */
  readonly released: Simulation;
}

export function openEnds({
  undetermined,
  unknown,
}: Simulation): ReadonlyMap<string, Undetermined['because']> {
  return new Map(
    [...unknown, ...undetermined].map((open) => [objectKey(open.object), open.because]),
  );
}

/** Is an object in a requested namespace that will certainly be removed? A removed namespace is empty. */
export function takenAlong(
  requests: readonly ObjectReference[],
  played: Simulation,
): (object: Pick<ObjectReference, 'namespace'>) => boolean {
  const namespaces = requests.filter(namesNamespace);
  if (namespaces.length === 0) return () => false;
  const left = new Set(played.objects.map(({ uid }) => uid));
  const open = openEnds(played);
  const removed = namespaces.filter((one) => !left.has(one.uid) && !open.has(objectKey(one)));
  const names = new Set(removed.map(({ name }) => name));
  return ({ namespace }) => names.has(namespace);
}

export function sameReason(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && withoutExamples(a) === withoutExamples(b);
}

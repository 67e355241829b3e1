import type { ClassifiedReference, ReferenceClass } from '../graph/classify-reference.ts';

const best: readonly ReferenceClass[] = ['solid', 'waiting', 'unknown'];

/** Of several references only one of which can stay, the index of the one that does most for the object. */
export function keeperOf(
  indexes: readonly number[],
  references: readonly ClassifiedReference[],
): number | undefined {
  for (const cls of best) {
    const index = indexes.find((candidate) => references[candidate]?.class === cls);
    if (index !== undefined) return index;
  }
  return indexes[0];
}

import type { ClassifiedReference } from '../graph/classify-reference.ts';
import type { Subject, Violation } from './rule.ts';

/** Calls `violation` for each reference of a subject that one lookup outcome led to. */
export function forEachReference(
  subject: Subject,
  violation: (classified: ClassifiedReference, index: number) => Violation | undefined,
): Violation[] {
  return subject.judgement.references.flatMap((classified, index) => {
    const found = violation(classified, index);
    return found ? [{ index, ...found }] : [];
  });
}

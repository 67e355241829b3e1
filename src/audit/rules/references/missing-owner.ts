import { fixOfGoneOwner } from '../gone-owner.ts';
import { forEachReference, type Rule } from '../reference-rule.ts';

export const missingOwner: Rule = {
  id: 'missing-owner',
  title: 'The owner does not exist',
  advice:
    'To let the object go, do nothing. To keep it, remove the reference at once: a running garbage collector deletes it within seconds.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const { class: cls, outcome, reference, because } = classified;
      if (cls !== 'dangling' || outcome === 'other-uid' || outcome === 'elsewhere')
        return undefined;
      if (subject.graph.withUid(reference.uid)) return undefined;
      return { message: because, fix: fixOfGoneOwner(subject, classified, index) };
    }),
};

import { forEachReference, type Rule, removal } from '../reference-rule.ts';

export const missingOwner: Rule = {
  id: 'missing-owner',
  title: 'The owner does not exist',
  advice:
    'To keep the object, remove the reference at once: a running garbage collector deletes it within seconds. To let it go, do nothing.',
  check: (subject) =>
    forEachReference(subject, ({ class: cls, outcome, reference, because }, index) => {
      if (cls !== 'dangling' || outcome === 'other-uid' || outcome === 'elsewhere')
        return undefined;
      if (subject.graph.withUid(reference.uid)) return undefined;
      return { message: because, fix: removal(index, 'remove the reference to keep the object') };
    }),
};

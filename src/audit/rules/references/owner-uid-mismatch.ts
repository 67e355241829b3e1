import { fixOfGoneOwner } from '../gone-owner.ts';
import { forEachReference, type Rule, removal } from '../reference-rule.ts';

export const ownerUidMismatch: Rule = {
  id: 'owner-uid-mismatch',
  title: 'The owner was recreated: same name, another uid',
  advice: 'Point the reference at the uid that exists now, or remove it.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const { outcome, found, reference, because } = classified;
      if (outcome !== 'other-uid' || !found || subject.graph.withUid(reference.uid))
        return undefined;
      if (found === subject.record) {
        return {
          message: because,
          fix: removal(index, 'remove the reference; it names the object itself'),
        };
      }
      return { message: because, fix: fixOfGoneOwner(subject, classified, index) };
    }),
};

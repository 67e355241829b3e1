import { forEachReference, pointAtOwner, type Rule, removal } from '../reference-rule.ts';

export const unservedOwnerVersion: Rule = {
  id: 'unserved-owner-version',
  title: "The owner's kind is served, but not in that version",
  advice:
    'Name a served version, if an object with that uid lives. If none does, the version alone would not do: with it the object would be deleted at once.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      if (classified.outcome !== 'unserved-version') return undefined;
      // A served version alone is no fix: naming an owner that is gone would get the object
      // deleted.
      const fallback = 'remove the reference: no object with that uid could be the owner';
      return {
        message: classified.because,
        fix: pointAtOwner(subject, classified.reference, index) ?? removal(index, fallback),
      };
    }),
};

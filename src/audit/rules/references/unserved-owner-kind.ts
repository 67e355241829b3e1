import { forEachReference, pointAtOwner, type Rule, removal } from '../reference-rule.ts';

export const unservedOwnerKind: Rule = {
  id: 'unserved-owner-kind',
  title: "No API serves the owner's kind",
  advice:
    'Where the uid is known, name the owner as it is; else remove the reference, or install the API again.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      if (classified.outcome !== 'unserved-kind') return undefined;
      const fallback = 'remove the reference, or install the API that serves the kind';
      return {
        message: classified.because,
        fix: pointAtOwner(subject, classified.reference, index) ?? removal(index, fallback),
      };
    }),
};

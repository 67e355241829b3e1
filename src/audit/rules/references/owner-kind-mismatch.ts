import {
  describe,
  forEachReference,
  pointAtOwner,
  type Rule,
  removal,
  trueOwner,
} from '../reference-rule.ts';

export const ownerKindMismatch: Rule = {
  id: 'owner-kind-mismatch',
  title: 'The uid belongs to an object of another kind',
  advice: 'Name the kind that the owner has.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const truth = trueOwner(subject, classified);
      if (truth?.differs !== 'kind') return undefined;
      const { reference } = classified;
      return {
        message: `the uid is that of ${describe(truth.owner)}, but the reference says ${reference.apiVersion} ${reference.kind} ${reference.name}`,
        fix: pointAtOwner(subject, reference, index) ?? removal(index, 'remove the reference'),
      };
    }),
};

import {
  describe,
  forEachReference,
  pointAtOwner,
  type Rule,
  removal,
  trueOwner,
} from '../reference-rule.ts';

export const ownerNameMismatch: Rule = {
  id: 'owner-name-mismatch',
  title: 'The uid belongs to an object with another name',
  advice: 'Name the owner as it is called.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const truth = trueOwner(subject, classified);
      if (truth?.differs !== 'name') return undefined;
      const { reference } = classified;
      return {
        message: `the uid is that of ${describe(truth.owner)}, but the reference says ${reference.name}`,
        fix: pointAtOwner(subject, reference, index) ?? removal(index, 'remove the reference'),
      };
    }),
};

import { describe, forEachReference, type Rule, removal, trueOwner } from '../reference-rule.ts';

export const crossNamespaceOwner: Rule = {
  id: 'cross-namespace-owner',
  title: 'The owner is in another namespace',
  advice: 'Remove the reference.',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const truth = trueOwner(subject, classified);
      if (truth?.differs !== 'namespace') return undefined;
      return {
        message: `the uid is that of ${describe(truth.owner)}, but owners are looked up in the dependent's namespace ${subject.record.namespace} only`,
        fix: removal(
          index,
          'remove the reference; tie the two together with a label and a finalizer of the owner instead',
        ),
      };
    }),
};

import { forEachReference, type Rule, removal } from '../reference-rule.ts';

export const namespacedOwnerOfClusterObject: Rule = {
  id: 'namespaced-owner-of-cluster-object',
  title: 'A cluster-scoped object names a namespaced owner',
  advice: "Remove the reference, and let the owner's controller delete the object in a finalizer.",
  check: (subject) =>
    forEachReference(subject, ({ outcome, because }, index) =>
      outcome === 'namespaced-owner-of-cluster-object'
        ? {
            message: because,
            fix: removal(
              index,
              'remove the reference; let the owner delete it in a finalizer of its own',
            ),
          }
        : undefined,
    ),
};

import { forEachReference } from './for-each-reference.ts';
import { type Rule, removal } from './rule.ts';

export const unservedOwnerKind: Rule = {
  id: 'unserved-owner-kind',
  title: "No API serves the owner's kind",
  check: (subject) =>
    forEachReference(subject, ({ outcome, because }, index) =>
      outcome === 'unserved-kind'
        ? {
            because,
            repair: removal(index, 'remove the reference, or install the API that serves the kind'),
          }
        : undefined,
    ),
};

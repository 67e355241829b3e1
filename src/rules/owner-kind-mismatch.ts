import { apiVersionOf } from '../kube/resource-type.ts';
import { forEachReference } from './for-each-reference.ts';
import type { Rule } from './rule.ts';
import { describe, trueOwner } from './true-owner.ts';

export const ownerKindMismatch: Rule = {
  id: 'owner-kind-mismatch',
  title: 'The uid belongs to an object of another kind',
  check: (subject) =>
    forEachReference(subject, (classified, index) => {
      const truth = trueOwner(subject, classified);
      if (truth?.differs !== 'kind') return undefined;
      const { reference } = classified;
      const { owner } = truth;
      return {
        because: `the uid is that of ${describe(owner)}, but the reference says ${reference.apiVersion} ${reference.kind} ${reference.name}`,
        repair: {
          summary: `name the owner as ${describe(owner)}`,
          edits: [
            {
              index,
              to: {
                ...reference,
                apiVersion: apiVersionOf(owner.type),
                kind: owner.type.kind,
                name: owner.name,
              },
            },
          ],
        },
      };
    }),
};

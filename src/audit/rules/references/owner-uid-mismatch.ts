import { forEachReference, type Rule, removal } from '../reference-rule.ts';

export const ownerUidMismatch: Rule = {
  id: 'owner-uid-mismatch',
  title: 'The owner was recreated: same name, another uid',
  advice: 'Point the reference at the uid that lives now, or remove it.',
  check: (subject) =>
    forEachReference(subject, ({ outcome, found, reference, because }, index) => {
      if (outcome !== 'other-uid' || !found || subject.graph.withUid(reference.uid))
        return undefined;
      if (found === subject.record) {
        return {
          message: because,
          fix: removal(index, 'remove the reference; it names the object itself'),
        };
      }
      return {
        message: because,
        fix: {
          summary: `point the reference at the ${found.type.kind} that lives now (uid ${found.uid})`,
          edits: [{ index, to: { ...reference, uid: found.uid } }],
        },
      };
    }),
};

import { forEachReference } from './for-each-reference.ts';
import { type Rule, removal } from './rule.ts';

export const selfOwner: Rule = {
  id: 'self-owner',
  title: 'The object owns itself',
  check: (subject) =>
    forEachReference(subject, ({ reference, class: cls }, index) => {
      const { record } = subject;
      if (record.uid === '' || reference.uid !== record.uid) return undefined;
      const honoured = cls === 'solid' || cls === 'waiting';
      return {
        because: 'the reference names the object itself',
        repair: removal(index, 'remove the reference'),
        ...(honoured && {
          gcRule: 'GC-23',
          consequences: [
            'never collected' as const,
            ...(reference.blockOwnerDeletion
              ? ['blocks a foreground deletion for ever' as const]
              : []),
          ],
        }),
      };
    }),
};

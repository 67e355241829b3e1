import { keeperOf, type Rule } from '../reference-rule.ts';

export const duplicateUid: Rule = {
  id: 'duplicate-uid',
  title: 'Two references name the same uid',
  advice: 'Keep the one that is right.',
  check: ({ record, judgement }) => {
    const byUid = new Map<string, number[]>();
    record.ownerReferences.forEach(({ uid }, index) => {
      if (uid !== '') byUid.set(uid, [...(byUid.get(uid) ?? []), index]);
    });
    return [...byUid].flatMap(([uid, indexes]) => {
      const keeper = keeperOf(indexes, judgement.references);
      const [index, ...more] = indexes.filter((other) => other !== keeper);
      if (index === undefined) return [];
      return [
        {
          index,
          message: `${indexes.length} references name uid ${uid}; removing one by uid removes them all`,
          fix: {
            summary: 'keep one of them',
            edits: [index, ...more].map((surplus) => ({ index: surplus, to: undefined })),
          },
        },
      ];
    });
  },
};

import type { Rule } from './rule.ts';

export const duplicateUid: Rule = {
  id: 'duplicate-uid',
  title: 'Two references name the same uid',
  check: ({ record, judgement }) => {
    const byUid = new Map<string, number[]>();
    record.ownerReferences.forEach(({ uid }, index) => {
      if (uid !== '') byUid.set(uid, [...(byUid.get(uid) ?? []), index]);
    });
    return [...byUid].flatMap(([uid, indexes]) => {
      const first = indexes[0];
      if (first === undefined || indexes.length < 2) return [];
      const keeper =
        indexes.find((index) => judgement.references[index]?.class === 'solid') ?? first;
      return [
        {
          index: indexes.find((index) => index !== keeper) ?? first,
          because: `${indexes.length} references name uid ${uid}; removing one by uid removes them all`,
          repair: {
            summary: 'keep one of them',
            edits: indexes
              .filter((index) => index !== keeper)
              .map((index) => ({ index, to: undefined })),
          },
        },
      ];
    });
  },
};

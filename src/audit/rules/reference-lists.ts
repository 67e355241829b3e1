import type { Judgement } from '../../controllers/garbage-collector/judge.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { eachOwned, type Fault, keeperOf, type ReferenceRule } from './reference-findings.ts';

export const severalControllers: ReferenceRule = {
  id: 'several-controllers',
  title: 'More than one owner is marked as the controller',
  advice: 'Leave one.',
  ...eachOwned(({ record, judgement }) => {
    const controllers = record.ownerReferences.flatMap((reference, index) =>
      reference.controller === true ? [{ reference, index }] : [],
    );
    if (controllers.length < 2) return [];
    return [{ fault: () => faultOfControllers(controllers, judgement) }];
  }),
};

function faultOfControllers(
  controllers: readonly { readonly reference: OwnerReference; readonly index: number }[],
  { references }: Judgement,
): Fault {
  const indexes = controllers.map(({ index }) => index);
  const keeper = keeperOf(indexes, references);
  const kept = controllers.find(({ index }) => index === keeper)?.reference;
  const names = controllers.map(({ reference }) => `${reference.kind}/${reference.name}`);
  return {
    message: `${names.join(' and ')} are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object`,
    // The garbage collector ignores the fault, but no controller can update the object any more.
    severity: 'warning',
    fix: {
      summary: `leave ${kept?.kind}/${kept?.name} as the only controller`,
      edits: controllers
        .filter(({ index }) => index !== keeper)
        .map(({ reference, index }) => ({ index, to: { ...reference, controller: false } })),
    },
  };
}

export const duplicateUid: ReferenceRule = {
  id: 'duplicate-uid',
  title: 'Two references name the same uid',
  advice: 'Keep the one that is right.',
  ...eachOwned(({ record, judgement }) => {
    const byUid = new Map<string, number[]>();
    record.ownerReferences.forEach(({ uid }, index) => {
      if (uid !== '') byUid.set(uid, [...(byUid.get(uid) ?? []), index]);
    });
    const several = [...byUid].filter(([, indexes]) => indexes.length > 1);
    return several.flatMap(([uid, indexes]) => {
      const keeper = keeperOf(indexes, judgement.references);
      const surplus = indexes.filter((other) => other !== keeper);
      const fault = () => ({
        message: `${indexes.length} references name uid ${uid}; removing one by uid removes them all`,
        fix: {
          summary: 'keep one of them',
          edits: surplus.map((index) => ({ index, to: undefined })),
        },
      });
      return surplus.slice(0, 1).map((index) => ({ index, fault }));
    });
  }),
};

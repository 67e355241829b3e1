import { keeperOf, type Rule } from '../reference-rule.ts';

export const severalControllers: Rule = {
  id: 'several-controllers',
  title: 'More than one owner is marked as the controller',
  advice: 'Leave one.',
  check: ({ record, judgement }) => {
    const controllers = record.ownerReferences.flatMap((reference, index) =>
      reference.controller === true ? [{ reference, index }] : [],
    );
    if (controllers.length < 2) return [];
    const keeper = keeperOf(
      controllers.map(({ index }) => index),
      judgement.references,
    );
    const kept = controllers.find(({ index }) => index === keeper)?.reference;
    const names = controllers.map(({ reference }) => `${reference.kind}/${reference.name}`);
    return [
      {
        message: `${names.join(' and ')} are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object`,
        // The garbage collector ignores the fault, but no controller can update the object any more.
        severity: 'warning',
        fix: {
          summary: `leave ${kept?.kind}/${kept?.name} as the only controller`,
          edits: controllers
            .filter(({ index }) => index !== keeper)
            .map(({ reference, index }) => ({ index, to: { ...reference, controller: false } })),
        },
      },
    ];
  },
};

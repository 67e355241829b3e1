import { choiceInWords } from '../../audit/rules/gone-owner.ts';
import {
  type OwnerChoice,
  ownerChoices,
  type ReferenceFinding,
} from '../../audit/rules/reference-findings.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printable, printedPlace } from '../../output/printable.ts';

const listed = 5;

/** What is done with the objects whose owners are gone; a line for each thing that is done. */
export function choiceLines(
  findings: readonly ReferenceFinding[],
  asked: OwnerChoice | undefined,
): string[] {
  const groups = Map.groupBy(findings, ({ fix: { choice, choices } }) =>
    choice && choices ? choiceInWords(choice, choices) : '',
  );
  groups.delete('');
  return [...groups].flatMap(([words, group]) => {
    const choice = group[0]?.fix.choice;
    // A re-linked reference is a fix like any other.
    if (choice === 'relink') return [];
    const line = `${firstOf(group.map(placeOf), listed)}: ${printable(words)}.`;
    if (choice !== 'let-go') return [line];
    if (asked === 'let-go') return [line];
    if (asked === 'relink') return [`${line} No owner of that name lives to re-link it to.`];
    const offered = ownerChoices.filter(
      (one) => one !== choice && group.some(({ fix }) => fix.choices?.[one]),
    );
    return [`${line} That is the default; see --missing-owner=${offered.join('|')}.`];
  });
}

function placeOf({ object }: ReferenceFinding): string {
  return printedPlace(referenceTo(object));
}

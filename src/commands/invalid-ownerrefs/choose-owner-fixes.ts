import { choiceInWords, withChoice } from '../../audit/rules/gone-owner.ts';
import {
  type OwnerChoice,
  ownerChoices,
  type ReferenceFinding,
} from '../../audit/rules/reference-findings.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printable, printedPlace } from '../../output/printable.ts';
import type { Interruption } from '../../perform/interrupted.ts';
import { ask } from '../../shell/terminal/confirm.ts';
import { writeErr } from '../../shell/terminal/streams.ts';

/**
 * Asks for each object whose owner is gone what is meant. An `a` behind an answer gives it to all that
 * follow and have that choice. Undefined: the question was not answered.
 */
export async function askOwnerChoices(
  findings: readonly ReferenceFinding[],
  interruption: Interruption,
): Promise<ReferenceFinding[] | undefined> {
  const chosen: ReferenceFinding[] = [];
  let forAll: OwnerChoice | 'default' | undefined;
  for (const finding of findings) {
    const { choice, choices } = finding.fix;
    if (!choice || !choices) {
      chosen.push(finding);
      continue;
    }
    if (forAll === 'default' || (forAll && choices[forAll])) {
      chosen.push(withChoice(finding, forAll === 'default' ? choice : forAll));
      continue;
    }
    const offered = ownerChoices.filter((one) => choices[one]);
    writeErr(`${placeOf(finding)}: ${printable(finding.message)}`);
    for (const one of offered) {
      writeErr(`  ${one[0]}  ${printable(choiceInWords(one, choices))}`);
    }
    const keys = offered.map((one) => (one === choice ? one[0]?.toUpperCase() : one[0])).join('/');
    for (;;) {
      const answer = await ask(
        `Choose one (${keys}; append a for all that follow): `,
        interruption,
      );
      if (answer === undefined) return undefined;
      const [, letter = '', all] = /^([lkr]?)(a?)$/i.exec(answer) ?? ['', '?'];
      const meant = letter === '' ? choice : offered.find((one) => one[0] === letter.toLowerCase());
      if (!meant) continue;
      if (all) forAll = letter === '' ? 'default' : meant;
      chosen.push(withChoice(finding, meant));
      break;
    }
  }
  return chosen;
}

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

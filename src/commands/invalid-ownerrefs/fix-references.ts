import { fixPatches } from '../../audit/fixes.ts';
import { choiceInWords, withChoice } from '../../audit/rules/gone-owner.ts';
import {
  type OwnerChoice,
  ownerChoices,
  type ReferenceFinding,
} from '../../audit/rules/reference-findings.ts';
import type { CommandPlace } from '../../command-line/shell-command.ts';
import { GcError } from '../../errors.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printable, printedName, printedPlace } from '../../output/printable.ts';
import { checkFixAccess } from '../../perform/check-access.ts';
import { losesOwner } from '../../restore/relink/missing-references.ts';
import { patchCommand } from '../../shell/fix/fix-diff.ts';
import { type FixOptions, sendFixes } from '../../shell/fix/send-fixes.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { ask } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeCommand, writeErr } from '../../shell/terminal/streams.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { accessOf } from '../../why/fix/apply-fix.ts';
import { patchOf, type SentFix } from '../../why/fix-request.ts';

interface FoundReferences {
  readonly findings: readonly ReferenceFinding[];
  readonly graph: Graph;
  /** Undefined offline. */
  readonly cluster: OpenedCluster | undefined;
}

interface AskedFix extends Omit<FixOptions, 'signal'> {
  /** What --missing-owner says. */
  readonly choice: OwnerChoice | undefined;
  readonly place: CommandPlace;
}

/** Fixes in a cluster what edits can fix; offline it prints the commands. */
export async function fixFindings(
  { findings, graph, cluster }: FoundReferences,
  { yes, dryRun, choice, place }: AskedFix,
): Promise<void> {
  for (const line of unfixedLines(findings)) writeErr(line);
  await withInterruption(async (signal) => {
    const asks = cluster && !yes && dryRun === 'none' && choice === undefined;
    const chosen = asks ? await askOwnerChoices(findings, signal) : findings;
    if (!chosen) return writeErr('Nothing was changed.');
    for (const line of choiceLines(chosen, asks ? 'let-go' : choice)) writeErr(line);
    const steps = referenceFixes(graph, chosen);
    if (steps.length === 0) return writeErr('No finding can be fixed by an edit.');
    if (cluster) return fixReferences(cluster, steps, { yes, dryRun, signal });
    writeErr('To fix them (nothing was sent):');
    for (const step of steps) writeCommand('  ', patchCommand(step, place));
  });
}

/** A patch for each object whose references can be fixed: it tests uid and references first. */
function referenceFixes(graph: Graph, findings: readonly ReferenceFinding[]): SentFix[] {
  return fixPatches(findings).map(({ record, kept, patch }) => {
    const does = `change the owner references of ${printedName(referenceTo(record))}`;
    return { ...patchOf(record, does, '', patch), losesOwner: losesOwner(graph, record, kept) };
  });
}

/**
 * Asks whether all patches are permitted, rehearses each on the server, then asks, then sends those
 * that the server would take. An object that changed meanwhile is skipped. After Ctrl-C nothing more is
 * sent.
 */
async function fixReferences(
  cluster: OpenedCluster,
  steps: readonly SentFix[],
  options: FixOptions,
): Promise<void> {
  await checkFixAccess(steps.map(accessOf), cluster, options.signal);
  const { refused } = await sendFixes(cluster, steps, options, {
    line: ({ object }, { outcome, message }, dryRun) => {
      const result = message === undefined ? 'patched' : `not patched: ${outcome}: ${message}`;
      return `${printedPlace(object)} ${result}${dryRun ? ' (server dry run)' : ''}`;
    },
    question: (count) => `Fix ${count === 1 ? 'this object' : `these ${count} objects`}?`,
    declined: 'Nothing was changed. Add --yes to apply the fixes.',
  });
  if (refused === 0) return;
  throw new GcError(`${refused} of ${steps.length} objects could not be fixed`, {
    code: 'not-fixed',
    suggestions: [
      'The lines above say why. Run the command again to judge the objects as they are now.',
    ],
  });
}

/** What no edit can fix, and what can be done instead; once for each class. */
function unfixedLines(findings: readonly ReferenceFinding[]): string[] {
  const byAdvice = Map.groupBy(
    findings.filter(({ fix }) => fix.edits.length === 0 && !fix.choices),
    ({ rule, fix }) => `${rule}: ${fix.summary}`,
  );
  return [...byAdvice].map(([advice, { length }]) => {
    return `No edit is offered for ${length} ${length === 1 ? 'finding' : 'findings'} of ${advice}.`;
  });
}

/**
 * Asks for each object whose owner was deleted what is meant. An `a` behind an answer gives it to all that
 * follow and have that choice. Undefined: the question was not answered.
 */
async function askOwnerChoices(
  findings: readonly ReferenceFinding[],
  signal: AbortSignal,
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
    writeErr(`${findingPlace(finding)}: ${printable(finding.message)}`);
    for (const one of offered) {
      writeErr(`  ${one[0]}  ${printable(choiceInWords(one, choices))}`);
    }
    const keys = offered.map((one) => (one === choice ? one[0]?.toUpperCase() : one[0])).join('/');
    for (;;) {
      const answer = await ask(`Choose one (${keys}; append a for all that follow): `, signal);
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

const mostListed = 5;

/** What is done with the objects whose owners were deleted; a line for each thing that is done. */
function choiceLines(
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
    const line = `${firstOf(group.map(findingPlace), mostListed)}: ${printable(words)}.`;
    if (choice !== 'let-go') return [line];
    if (asked === 'let-go') return [line];
    if (asked === 'relink') return [`${line} No owner of that name lives to re-link it to.`];
    const offered = ownerChoices.filter(
      (one) => one !== choice && group.some(({ fix }) => fix.choices?.[one]),
    );
    return [`${line} That is the default; see --missing-owner=${offered.join('|')}.`];
  });
}

function findingPlace({ object }: ReferenceFinding): string {
  return printedPlace(referenceTo(object));
}

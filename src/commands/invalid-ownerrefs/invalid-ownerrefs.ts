import * as Flags from '@oclif/core/flags';
import { findInvalidReferences } from '../../audit/invalid-references.ts';
import { choiceInWords, withChoice } from '../../audit/rules/gone-owner.ts';
import {
  type OwnerChoice,
  ownerChoices,
  type ReferenceFinding,
} from '../../audit/rules/reference-findings.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printable, printedPlace } from '../../output/printable.ts';
import {
  dueByReferences,
  invalidReferencesReport,
  withCollector,
} from '../../questions/invalid-ownerrefs/document.ts';
import { invalidReferencesSummary } from '../../questions/invalid-ownerrefs/text.ts';
import { listFormats } from '../../questions/render.ts';
import { patchCommand } from '../../shell/fix/fix-diff.ts';
import { dryRunOf } from '../../shell/flags/dry-run.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import { fixFlags, listingFlags, outputFlag, scopeFlags } from '../../shell/flags/flags.ts';
import { openListed } from '../../shell/input/open-objects.ts';
import { readFieldManagers } from '../../shell/input/read-field-managers.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askAboutGarbage } from '../../shell/questions/ask-collector.ts';
import { ask, refuseUnaskedFix } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeCommand, writeErr } from '../../shell/terminal/streams.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { isolated } from '../../snapshot/isolated.ts';

export default class InvalidOwnerrefs extends GcCommand {
  static override summary = 'List wrong owner references, their effect and the fix';
  static override description = [
    'Each finding has a class, what the garbage collector does because of it, who wrote',
    'the reference (from managedFields) and how to fix it. --fix rehearses the fix on',
    'the server, asks, and then applies it; an object that changed meanwhile is left',
    'alone. An object without an existing owner may be garbage: --fix asks whether to delete it,',
    'to keep it, or to re-link it to an owner of that name; --missing-owner says it.',
  ].join(' ');
  static override usage = '<%= command.id %> [TYPE...] [-n NAMESPACE | -A] [--fix]';
  static override examples = [
    '<%= config.bin %> invalid-ownerrefs -A',
    '<%= config.bin %> invalid-ownerrefs -n shop --fix --dry-run',
    '<%= config.bin %> invalid-ownerrefs -n shop --fix --missing-owner=keep --yes',
    '<%= config.bin %> invalid-ownerrefs -A --from examples/clusters/shop.json.gz',
    '<%= config.bin %> invalid-ownerrefs -n shop --fix --from examples/clusters/shop.json.gz',
    '<%= config.bin %> invalid-ownerrefs -A -o wide --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...scopeFlags,
    fix: booleanFlag('fix what can be fixed; offline, print the commands that would'),
    ...fixFlags,
    'missing-owner': Flags.option({
      options: ownerChoices,
      summary: 'answer for objects whose owner does not exist; without it --fix asks on a terminal',
    })(),
    ...listingFlags,
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(InvalidOwnerrefs);
    const print = this.printer(flags, listFormats);
    const warnings: string[] = [];
    const dryRun = dryRunOf(flags['dry-run'], warnings);
    for (const warning of warnings) this.remark(warning);
    if (flags.fix && !flags.from && dryRun === 'none') refuseUnaskedFix(flags.yes);
    const choice = flags['missing-owner'];
    const answer = await this.answer({ flags, print }, async (session) => {
      const opened = await openListed(argv as string[], flags, session);
      const { snapshot, scope, counted, cluster, namespace } = opened;
      const { graph, findings } = isolated(snapshot, (known) => {
        const owned = buildGraph(known);
        const found = findInvalidReferences(owned, scope);
        return { graph: owned, findings: found.map((one) => withChoice(one, choice)) };
      });
      const managersOf = await readFieldManagers(cluster, snapshot, findings);
      const { place } = session;
      const judged = invalidReferencesReport(graph, findings, {
        scope,
        counted,
        managersOf,
        place,
      });
      const health = flags.fix
        ? undefined
        : await askAboutGarbage(dueByReferences(judged), snapshot, flags, session);
      const report = withCollector(judged, health, snapshot.types);
      const looked = { coverage: report.coverage, namespace, records: snapshot.records };
      const found =
        report.items.length === 0
          ? this.nothing('invalid owner references', looked)
          : this.summary(flags, invalidReferencesSummary(report));
      const canFix = !flags.fix && findings.some(({ fix }) => fix.edits.length > 0 || fix.choices);
      const fix = ['Fix', this.again(flags, (args) => [...args, '--fix'])] as const;
      const remarks = [...found, ...unjudgedLines(report.unknown.length)];
      return {
        report,
        taken: snapshot,
        remarks,
        next: canFix ? fix : undefined,
        findings,
        cluster,
        graph,
      };
    });
    if (!flags.fix || !answer) return;
    const { findings, cluster, graph } = answer;
    for (const line of unfixedLines(findings)) this.remark(line);
    const { yes } = flags;
    await withInterruption(async (signal) => {
      const asks = cluster && !yes && dryRun === 'none' && choice === undefined;
      const chosen = asks ? await askOwnerChoices(findings, signal) : findings;
      if (!chosen) return this.remark('Nothing was changed.');
      for (const line of choiceLines(chosen, asks ? 'let-go' : choice)) this.remark(line);
      // Most calls only look: it is a tenth of their start.
      const { fixReferences, referenceFixes } = await import('./fix-references.ts');
      const steps = referenceFixes(graph, chosen);
      if (steps.length === 0) return this.remark('No finding can be fixed by an edit.');
      if (cluster) return fixReferences(cluster, steps, { yes, dryRun, signal });
      this.remark('To fix them (nothing was sent):');
      const { place } = this.session(flags);
      for (const step of steps) writeCommand('  ', patchCommand(step, place));
    });
  }
}

function unjudgedLines(count: number): string[] {
  if (count === 0) return [];
  const [what, them] =
    count === 1
      ? ['1 reference could not be judged: its owner was not read', 'it']
      : [`${count} references could not be judged: their owners were not read`, 'them'];
  return [`${what}. -o json lists ${them} under unknown.`];
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

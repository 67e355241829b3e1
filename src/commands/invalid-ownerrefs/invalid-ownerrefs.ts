import * as Flags from '@oclif/core/flags';
import { findInvalidReferences } from '../../audit/invalid-references.ts';
import { withChoice } from '../../audit/rules/gone-owner.ts';
import { ownerChoices, type ReferenceFinding } from '../../audit/rules/reference-findings.ts';
import { invalidReferencesSummary } from '../../output/answers/invalid-references.ts';
import { invalidReferencesReport } from '../../output/documents/invalid-references.ts';
import { listFormats } from '../../output/render.ts';
import { patchCommand } from '../../shell/fix/fix-diff.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import { fixFlags, listingFlags, outputFlag, scopeFlags } from '../../shell/flags/flags.ts';
import { openListed } from '../../shell/input/open-objects.ts';
import { readFieldManagers } from '../../shell/input/read-field-managers.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { refuseUnaskedFix } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeCommand } from '../../shell/terminal/streams.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { askOwnerChoices, choiceLines } from './choose-owner-fixes.ts';

export default class InvalidOwnerrefs extends GcCommand {
  static override summary = 'Which owner references are wrong, what follows, and what fixes them?';
  static override description = [
    'Each finding has a class, what the garbage collector does because of it, who wrote',
    'the reference (from managedFields) and how to fix it. --fix rehearses the fix on',
    'the server, asks, and then applies it; an object that changed meanwhile is left',
    'alone. An object whose owner is gone may be garbage: --fix asks whether to let it go,',
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
      summary: 'what becomes of an object whose owner is gone; without it --fix asks on a terminal',
    })(),
    ...listingFlags,
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(InvalidOwnerrefs);
    const print = this.printer(flags, listFormats);
    if (flags.fix && !flags.from && !flags['dry-run']) refuseUnaskedFix(flags.yes);
    const choice = flags['missing-owner'];
    const answer = await this.answer({ flags, print }, async (session) => {
      const opened = await openListed(argv as string[], flags, session);
      const { snapshot, scope, cluster, namespace } = opened;
      const graph = buildGraph(snapshot);
      const findings = findInvalidReferences(graph, scope).map((one) => withChoice(one, choice));
      const fieldManagersOf = await readFieldManagers(cluster, snapshot, findings);
      const report = invalidReferencesReport(
        graph,
        findings,
        scope,
        fieldManagersOf,
        session.place,
      );
      const looked = { ...report.coverage, namespace, records: snapshot.records };
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
      };
    });
    if (!flags.fix || !answer) return;
    const { findings, cluster } = answer;
    for (const line of unfixedLines(findings)) this.remark(line);
    const { yes, 'dry-run': dryRun } = flags;
    await withInterruption(async (interruption) => {
      const asks = cluster && !yes && !dryRun && choice === undefined;
      const chosen = asks ? await askOwnerChoices(findings, interruption) : findings;
      if (!chosen) return this.remark('Nothing was changed.');
      for (const line of choiceLines(chosen, asks ? 'let-go' : choice)) this.remark(line);
      // Most calls only look: it is a tenth of their start.
      const { fixReferences, referenceFixes } = await import('./fix-references.ts');
      const steps = referenceFixes(chosen);
      if (steps.length === 0) return this.remark('No finding can be fixed by an edit.');
      if (cluster) return fixReferences(cluster, steps, { yes, dryRun, interruption });
      this.remark('To fix them (nothing was sent):');
      const { place } = this.session(flags);
      for (const step of steps) writeCommand(patchCommand(step, place));
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

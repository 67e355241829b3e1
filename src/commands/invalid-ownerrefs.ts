import * as Flags from '@oclif/core/flags';
import { findInvalidReferences } from '../audit/invalid-references.ts';
import type { Finding } from '../audit/rules/reference-rule.ts';
import { printPatches } from '../cli/fix/fix-diff.ts';
import {
  allNamespacesFlag,
  fixFlags,
  listingFlags,
  outputFlag,
  selectorFlags,
} from '../cli/flags/flags.ts';
import { openSnapshot } from '../cli/input/input.ts';
import { readFieldManagers } from '../cli/input/read-field-managers.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { refuseUnaskedFix } from '../cli/terminal/confirm.ts';
import { withInterruption } from '../cli/terminal/interruption.ts';
import { invalidReferencesReport } from '../output/documents/invalid-references.ts';
import { listFormats } from '../output/render.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';

export default class InvalidOwnerrefs extends GcCommand {
  static override summary = 'List every wrong owner reference, what it leads to, and the fix.';
  static override description = [
    'Each finding has a class, what the garbage collector does because of it, who wrote',
    'the reference (from managedFields) and how to fix it. --fix rehearses the fix on',
    'the server, asks, and then applies it; an object that changed meanwhile is left',
    'alone.',
  ].join(' ');
  static override usage = '<%= command.id %> [TYPE...] [-n NAMESPACE | -A] [--fix]';
  static override examples = [
    '<%= config.bin %> invalid-ownerrefs -A',
    '<%= config.bin %> invalid-ownerrefs -n shop --fix --dry-run',
    '<%= config.bin %> invalid-ownerrefs -A -o wide --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    fix: Flags.boolean({
      summary: 'fix what can be fixed; offline, print the commands that would',
    }),
    ...fixFlags,
    ...listingFlags,
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(InvalidOwnerrefs);
    const print = this.printer(flags, listFormats);
    if (flags.fix && !flags.from && !flags['dry-run']) refuseUnaskedFix(flags.yes);
    const session = this.session(flags);
    const { snapshot, scope, cluster } = await openSnapshot(argv as string[], flags, session);
    const graph = buildGraph(snapshot);
    const findings = findInvalidReferences(graph, scope);
    const fieldManagersOf = cluster ? await readFieldManagers(cluster, findings) : undefined;
    const report = invalidReferencesReport(graph, findings, scope, fieldManagersOf);
    await print(report, snapshot);

    if (report.items.length === 0) {
      this.remarkNothing('invalid owner references', report.coverage);
    }
    if (report.unknown.length > 0) {
      const count = report.unknown.length;
      const what =
        count === 1
          ? '1 reference could not be judged: its owner was not read'
          : `${count} references could not be judged: their owners were not read`;
      this.remark(`${what}. -o json lists ${count === 1 ? 'it' : 'them'} under unknown.`);
    }
    if (!flags.fix) return;
    for (const line of unfixedLines(findings)) this.remark(line);
    if (report.patches.length === 0) this.remark('There is nothing that an edit could fix.');
    else if (!cluster) printPatches(report.patches);
    else {
      const { fixReferences } = await import('../cli/fix/fix-references.ts');
      const { yes, 'dry-run': dryRun } = flags;
      await withInterruption((interruption) =>
        fixReferences(cluster, report.patches, { yes, dryRun, interruption }),
      );
    }
  }
}

/** What no edit can fix, and what can be done instead; once for each class. */
function unfixedLines(findings: readonly Finding[]): string[] {
  const byAdvice = Map.groupBy(
    findings.filter(({ fix }) => fix.edits.length === 0),
    ({ rule, fix }) => `${rule}: ${fix.summary}`,
  );
  return [...byAdvice].map(([advice, { length }]) => {
    return `No edit is offered for ${length} ${length === 1 ? 'finding' : 'findings'} of ${advice}.`;
  });
}

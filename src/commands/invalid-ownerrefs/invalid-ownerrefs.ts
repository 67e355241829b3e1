import * as Flags from '@oclif/core/flags';
import { findInvalidReferences } from '../../audit/invalid-references.ts';
import { withChoice } from '../../audit/rules/gone-owner.ts';
import { ownerChoices } from '../../audit/rules/reference-findings.ts';
import {
  dueByReferences,
  invalidReferencesReport,
  withCollector,
} from '../../questions/invalid-ownerrefs/document.ts';
import { invalidReferencesSummary } from '../../questions/invalid-ownerrefs/text.ts';
import { listFormats } from '../../questions/render.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import { fixFlags, listingFlags, outputFlag, scopeFlags } from '../../shell/flags/flags.ts';
import { openListed } from '../../shell/input/open-objects.ts';
import { readFieldManagers } from '../../shell/input/read-field-managers.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askAboutGarbage } from '../../shell/questions/ask-collector.ts';
import { refuseUnaskedFix } from '../../shell/terminal/confirm.ts';
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
    const dryRun = this.dryRun(flags);
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
    // Most calls only look: it is a tenth of their start.
    const { fixFindings } = await import('./fix-references.ts');
    const { place } = this.session(flags);
    await fixFindings(answer, { yes: flags.yes, dryRun, choice, place });
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

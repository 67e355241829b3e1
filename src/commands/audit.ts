import { type AuditVerdict, audit } from '../audit/audit.ts';
import { baselineOf } from '../audit/baseline.ts';
import { findingsOfFiles, findingsOfManifests } from '../audit/unapplied-manifests.ts';
import {
  type AuditFlags,
  auditFlags,
  groupByFlag,
  pipesManifests,
} from '../cli/audit/audit-flags.ts';
import { chooseAudit, readBaseline, writeBaseline } from '../cli/audit/audit-options.ts';
import { remarksOn } from '../cli/audit/audit-remarks.ts';
import { type Audited, openAgainstCluster, openAudited } from '../cli/audit/audited-snapshot.ts';
import {
  allNamespacesFlag,
  type CommonFlags,
  listingFlags,
  outputFlag,
  selectorFlags,
} from '../cli/flags/flags.ts';
import { nowOf } from '../cli/input/clock.ts';
import { namespaceOf, type Selectors, scopeOf } from '../cli/input/scope.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { findControllerSettings } from '../cli/settings/open-settings.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { counted } from '../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { shellCommand } from '../kube/shell-command.ts';
import { auditReport } from '../output/documents/audit.ts';
import { auditFormats } from '../output/render.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';

export default class Audit extends GcCommand {
  static override summary = 'Check a cluster or manifests against the rules; for CI.';
  static override description = [
    'Finds wrong owner references and what else will be lost, never ends or piles up. Exits',
    '1 when a finding has the severity of --fail-on, and 3 when none has but something could',
    'not be read. A .kubectl-gc.yaml and annotations can waive findings, a baseline lets',
    'only new ones count.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [TYPE...] [-n NAMESPACE | -A] [--fail-on error|warning|never]';
  static override examples = [
    '<%= config.bin %> audit -A',
    '<%= config.bin %> audit --from manifests/ -o github',
    '<%= config.bin %> audit --baseline audit-baseline.json --update-baseline',
    '<%= config.bin %> audit -n shop --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    ...auditFlags,
    'group-by': groupByFlag,
    ...listingFlags,
    output: outputFlag(auditFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Audit);
    if (flags['list-rules'] || flags.explain !== undefined) {
      const { explainRule, listRules } = await import('../cli/audit/explain-rules.ts');
      await (flags.explain === undefined
        ? listRules(flags.output)
        : explainRule(flags.explain, this.config.root));
      return;
    }
    const print = this.printer(flags, auditFormats);
    const session = this.session(flags);
    if (pipesManifests(argv, flags)) {
      const { fixManifests } = await import('../cli/audit/fix-manifests.ts');
      return this.endWith(await fixManifests(flags, session));
    }
    const scopeIn = scopeOf(argv as string[], flags);
    const chosen = await chooseAudit(flags);
    const baseline = await readBaseline(chosen.baseline, chosen.updateBaseline);
    const { settings, source } = await findControllerSettings(flags, session);
    const namespace = namespaceOf(flags);
    const against = flags['against-cluster'] ?? false;
    const applied = against ? await openAgainstCluster(flags, session) : undefined;
    const asksKubelets = chosen.rules.has('ineffective-image-gc');
    const opened: Audited = applied ?? (await openAudited(flags, namespace, asksKubelets, session));
    const { snapshot, isManifest, narrowed, kubelets } = opened;
    const manifests = scopeIn(snapshot.types, undefined);
    const others = applied ? () => false : scopeIn(snapshot.types, namespace);
    const options = {
      ...chosen,
      now: nowOf(flags, snapshot),
      scope: (record: ObjectRecord) => (isManifest(record) ? manifests : others)(record),
      baseline: chosen.updateBaseline ? undefined : baseline,
      partial: isPartial(argv, flags),
      settings,
      settingsFrom: source === 'default' ? ('default' as const) : ('read' as const),
      narrowed,
      kubelets,
    };
    const graph = buildGraph(snapshot);
    const judged = audit(graph, options);
    const result = against ? findingsOfManifests(judged) : findingsOfFiles(judged);
    const report = auditReport(graph, result, options);
    await print(report, snapshot);
    const partly = options.partial || report.verdict === 'incomplete';
    for (const line of remarksOn(report, chosen)) this.remark(line);
    if (report.items.length === 0) {
      const complete = report.verdict !== 'incomplete' && report.coverage.complete;
      this.remarkNothing('problems', { complete, namespace, records: snapshot.records });
    }
    const worst = report.items.find(({ status }) => status === 'new');
    if (worst) {
      const explain = shellCommand`kubectl gc audit --explain ${worst.rule}`;
      this.suggest(flags.output, 'Explain', explain);
    }
    if (chosen.updateBaseline && chosen.baseline !== undefined) {
      const news = result.findings.filter(({ status }) => status === 'new');
      const written = baselineOf(news, partly ? baseline?.findings : undefined);
      await writeBaseline(chosen.baseline, written);
      this.remark(`Wrote ${counted(written.findings.length, 'finding')} to ${chosen.baseline}.`);
      return;
    }
    this.endWith(exitCodeOf[report.verdict]);
  }
}

const exitCodeOf: Readonly<Record<AuditVerdict, ExitCode>> = {
  passed: exitCodes.ok,
  failed: exitCodes.findings,
  incomplete: exitCodes.failed,
};

/** Were only some objects, rules or findings asked for? Then what is not found may be there all the same. */
function isPartial(args: readonly unknown[], flags: CommonFlags & Selectors & AuditFlags): boolean {
  const narrowing = [
    'namespace',
    'selector',
    'field-selector',
    'rule',
    'skip-rule',
    'severity',
  ] as const;
  return args.length > 0 || narrowing.some((flag) => flags[flag] !== undefined);
}

import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Baseline, baselineOf, problemFingerprint } from '../../audit/baseline.ts';
import { nowhere, printedCommand, shellCommand } from '../../command-line/shell-command.ts';
import { exitCodes } from '../../errors.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  type AuditReport,
  dueByAudit,
  withOverdueFindings,
} from '../../questions/audit/document.ts';
import { auditFormats, type Format } from '../../questions/render.ts';
import {
  type AuditFlags,
  auditFlags,
  type ChosenAudit,
  chooseAudit,
  exitCodeOfVerdict,
  readBaseline,
  refuseBaseline,
} from '../../shell/audit/audit-options.ts';
import { auditRemarks } from '../../shell/audit/audit-remarks.ts';
import {
  judgeAudited,
  openAgainstCluster,
  openAudited,
} from '../../shell/audit/audited-snapshot.ts';
import {
  type CommonFlags,
  listingFlags,
  outputFlag,
  wholeScopeFlags,
} from '../../shell/flags/flags.ts';
import { fleetOf } from '../../shell/fleet.ts';
import { refuseMissingNamespace } from '../../shell/input/missing-namespace.ts';
import { askedNamespace, type Selectors, scopeInWords, scopeOf } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askAboutGarbage } from '../../shell/questions/ask-collector.ts';
import { settingsFinder } from '../../shell/settings/find-settings.ts';
import { writeGapsTo } from '../../shell/terminal/streams.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';

export default class Audit extends GcCommand {
  static override summary = 'Check a cluster or manifests against rules, for pipelines';
  static override description = [
    'Finds wrong owner references and what else will be lost, never ends or piles up. Exits',
    '1 when a finding has the severity of --fail-on, and 3 when none has but something could',
    'not be read. A .kubectl-gc.yaml and annotations can waive findings, a baseline lets',
    'only new ones count.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [TYPE...] [-n NAMESPACE | -A] [--from PATH...] [--fail-on SEVERITY]';
  static override examples = [
    '<%= config.bin %> audit -A',
    '<%= config.bin %> audit --from manifests/ -o github',
    '<%= config.bin %> audit --from rendered/new --against rendered/old -o markdown',
    '<%= config.bin %> audit --baseline audit-baseline.json --update-baseline',
    '<%= config.bin %> audit --from examples/clusters/shop.json.gz',
    '<%= config.bin %> audit --rule missing-owner -o markdown --from examples/clusters/shop.json.gz',
    '<%= config.bin %> audit -n shop --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...wholeScopeFlags,
    ...auditFlags,
    ...listingFlags,
    output: outputFlag(auditFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Audit);
    if (flags['list-rules'] || flags.explain !== undefined) {
      const { explainRule, listRules } = await import('./explain-rules.ts');
      await (flags.explain === undefined
        ? listRules(flags.output)
        : explainRule(flags.explain, this.config.root));
      return;
    }
    if (flags.against) {
      const { auditPrunes, pruneFormats } = await import('./audit-prunes.ts');
      return this.endWith(
        await auditPrunes(flags, flags.against, this.printer(flags, pruneFormats)),
      );
    }
    const print = this.printer(flags, auditFormats);
    const chosen = await chooseAudit(flags);
    const fleet = await fleetOf(flags);
    if (fleet) refuseBaseline(chosen);
    const question: AuditQuestion = {
      flags,
      chosen,
      scopeIn: scopeOf(argv as string[], flags),
      baseline: await readBaseline(chosen.baseline, chosen.updateBaseline),
      // Manifests are judged as if they were applied to the cluster.
      settingsOf: await settingsFinder({
        ...flags,
        from: flags['against-cluster'] ? undefined : flags.from,
      }),
      partial: isPartial(argv, flags),
    };
    await this.answer({ flags, print, fleet }, (session) => this.#audited(session, question));
  }

  async #audited(session: Session, question: AuditQuestion) {
    const { flags, chosen, scopeIn, baseline, settingsOf, partial } = question;
    const namespace = askedNamespace(flags);
    // What could not be read of files decides the exit code, so that it is part of the answer.
    if (flags.from) writeGapsTo({ command: ['audit'], wantsAll: true });
    const opened = await (flags['against-cluster']
      ? openAgainstCluster(flags, session)
      : openAudited(flags, namespace, session));
    const { snapshot, isManifest, against } = opened;
    const read = opened.asRead ?? snapshot;
    if (!against) await refuseMissingNamespace({ flags, session, snapshot: read });
    const found = await settingsOf(session);
    const manifests = scopeIn(snapshot.types, undefined);
    const others = against ? () => false : scopeIn(snapshot.types, namespace);
    const scope = (record: ObjectRecord) => (isManifest(record) ? manifests : others)(record);
    const asked = { scope, baseline, partial, place: session.place };
    const answer = judgeAudited(opened, chosen, found, asked, flags);
    const report = await withObserved(answer.report, snapshot, flags, session);
    const isPart = partial || report.verdict === 'incomplete';
    const written = await updateBaseline(answer, chosen, isPart ? baseline : undefined);
    const complete = report.verdict !== 'incomplete' && report.coverage.complete;
    const looked = {
      coverage: { ...report.coverage, complete },
      namespace,
      records: snapshot.records,
    };
    const worst = report.items.find(({ status }) => status === 'new');
    const explain = worst && shellCommand`kubectl gc audit --explain ${worst.rule}`;
    const where = isOfCluster(snapshot) ? scopeInWords(namespace) : undefined;
    return {
      report: withRepositoryPaths(report, flags.output),
      taken: snapshot,
      exitCode: chosen.updateBaseline ? exitCodes.ok : exitCodeOfVerdict[report.verdict],
      remarks: [
        ...auditRemarks(report, chosen, where),
        ...(report.items.length === 0 ? this.nothing('problems', looked) : []),
        ...(against || flags.complete ? [] : remarksOnUids(snapshot)),
        ...written,
      ],
      // It asks no cluster.
      next: explain && (['Explain', printedCommand(explain, nowhere)] as const),
    };
  }
}

/** On a cluster, what the garbage collector should have deleted is read again. */
async function withObserved(
  report: AuditReport,
  snapshot: Snapshot,
  flags: AuditQuestion['flags'],
  session: Session,
): Promise<AuditReport> {
  const seen = await askAboutGarbage(dueByAudit(report), snapshot, flags, session);
  return withOverdueFindings(report, seen);
}

/** References of manifests name uids that no object created from them has. */
function remarksOnUids(snapshot: Snapshot): string[] {
  const names = ({ ownerReferences }: ObjectRecord) => ownerReferences.length > 0;
  if (isOfCluster(snapshot) || !snapshot.records.some(names)) return [];
  return [
    'Judged as objects that exist; created from these files, they get new uids (--against-cluster).',
  ];
}

/** What is asked of each cluster. */
interface AuditQuestion {
  readonly flags: CommonFlags & Selectors & AuditFlags & { readonly output: string };
  readonly chosen: ChosenAudit;
  readonly scopeIn: ReturnType<typeof scopeOf>;
  readonly baseline: Baseline | undefined;
  readonly settingsOf: Awaited<ReturnType<typeof settingsFinder>>;
  /** Were only some objects, rules or findings asked for? */
  readonly partial: boolean;
}

/** Adds the findings to the baseline where that is requested. Of a part of the cluster, the other entries of the baseline are kept. */
async function updateBaseline(
  { report, findings }: ReturnType<typeof judgeAudited>,
  { updateBaseline: isAsked, baseline: path }: ChosenAudit,
  before: Baseline | undefined,
): Promise<string[]> {
  if (!isAsked || path === undefined) return [];
  const news = findings.filter(({ status }) => status === 'new');
  const problems = report.coverage.problems.flatMap((problem) => problemFingerprint(problem) ?? []);
  const written = baselineOf(news, problems, before?.findings);
  const text = `${JSON.stringify(written, undefined, 2)}\n`;
  await writeWhole(path, text, { what: 'the baseline' });
  const what = counted(written.findings.length, problems.length > 0 ? 'entry' : 'finding');
  return [`Wrote ${what} to ${path}.`];
}

/** Were only some objects, rules or findings asked for? Then what is not found may be there all the same. */
function isPartial(args: readonly unknown[], flags: CommonFlags & Selectors & AuditFlags): boolean {
  const narrowing = [
    ...(['namespace', 'selector', 'field-selector'] as const),
    ...(['rule', 'skip-rule', 'severity'] as const),
  ];
  return args.length > 0 || narrowing.some((flag) => flags[flag] !== undefined);
}

const ofRepositories: ReadonlySet<Format> = new Set(['sarif', 'github', 'gitlab']);

/** What shows findings in a review looks a file up by its path from the root of the repository. */
function withRepositoryPaths(report: AuditReport, format: string): AuditReport {
  if (!ofRepositories.has(format as Format)) return report;
  const roots = new Map<string, string | undefined>();
  const items = report.items.map((item) => {
    if (!item.place || item.place.path === '<stdin>') return item;
    const full = resolve(item.place.path);
    const folder = dirname(full);
    if (!roots.has(folder)) roots.set(folder, rootOf(folder));
    const root = roots.get(folder);
    return root === undefined
      ? item
      : { ...item, place: { ...item.place, path: relative(root, full) } };
  });
  return { ...report, items };
}

/** A worktree and a submodule have a file of that name. */
function rootOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

import { reviewAccess } from '../../cluster/write/access-reviews.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError, usageError } from '../../errors.ts';
import { exitCodeOfVerdict } from '../../shell/audit/audit-options.ts';
import { auditRemarks } from '../../shell/audit/audit-remarks.ts';
import { optionalNeedsOf, splitResource } from '../../shell/command-permissions.ts';
import { parseWithin } from '../../shell/flags/flag-kinds.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { warnOfGaps } from '../../shell/terminal/streams.ts';
import { hasSink, publish } from './publish.ts';
import { problemsOf } from './report-metrics.ts';
import { serveReports } from './serve-reports.ts';
import { lookFor, type ReportFlags, reportFlags } from './take-look.ts';

export default class Report extends GcCommand {
  static override summary = 'Publish findings as metrics and policy reports';
  static override description = [
    'Audits and forecasts the whole cluster once, for a CronJob, or with --serve again and again.',
    'Prints the metrics where it is not said where to publish. Exits as audit does: 1 when a',
    'finding has the severity of --fail-on, and 3 when something could not be read or published.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [--metrics-file FILE] [--serve ADDRESS] [--policy-reports API]...';
  static override examples = [
    '<%= config.bin %> report --metrics-file gc.prom --fail-on never',
    '<%= config.bin %> report --policy-reports wgpolicyk8s.io --fail-on never',
    '<%= config.bin %> report --fail-on never --rule missing-owner --from examples/clusters/shop.json.gz',
    '<%= config.bin %> report --fail-on never --within 1h --from examples/clusters/shop.json.gz',
    '<%= config.bin %> report --fail-on never --from examples/clusters/shop.json.gz',
  ];
  static override flags = reportFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Report);
    const { chosen, take } = await lookFor(flags);
    const session = this.session(flags);
    await checkReport(flags, session);
    if (flags.serve !== undefined) {
      this.endTelling();
      const every = parseWithin(flags.every ?? '5m', '--every');
      return serveReports(flags, take, { address: flags.serve, every });
    }
    const look = await take(session);
    warnOfGaps(problemsOf(look));
    await publish(flags, look, session);
    if (hasSink(flags)) for (const line of auditRemarks(look.audit, chosen)) this.remark(line);
    this.endWith(exitCodeOfVerdict[look.audit.verdict]);
  }
}

/** A cluster that is read more often would do little else. */
const shortestInterval = 10_000;

/** Refuses what cannot work before anything is read: flags, and writes that are not permitted. */
async function checkReport(flags: ReportFlags, session: Session): Promise<void> {
  const { namespace, every } = flags;
  if (namespace !== undefined) {
    throw usageError('report is about the whole cluster, not about one namespace', [
      'Leave out -n.',
      suggested(
        'To print the metrics of one namespace',
        shellCommand`kubectl gc audit ${['-n', namespace]} -o prometheus`,
      ),
    ]);
  }
  const apis = [...new Set(flags['policy-reports'])];
  if (every !== undefined && parseWithin(every, '--every') < shortestInterval) {
    throw usageError(`--every "${every}" is too often: each time the whole cluster is read`, [
      'Give at least 10s.',
    ]);
  }
  if (apis.length > 0) await requireAccess(apis, session);
}

/** Asks the server whether each write is permitted in all namespaces, so that a missing permission is reported immediately. */
async function requireAccess(options: readonly string[], session: Session): Promise<void> {
  const client = await session.client();
  const asked = optionalNeedsOf('report', options).flatMap(({ verbs, on }) =>
    [on].flat().flatMap((resource) => verbs.map((verb) => ({ verb, resource }))),
  );
  const answers = asked.map(async ({ verb, resource }) => {
    const resourceAttributes = { verb, ...splitResource(resource) };
    const { allowed } = await reviewAccess(client, { resourceAttributes });
    // Where the review itself failed, the server decides request by request.
    return allowed === false ? [{ verb, resource }] : [];
  });
  const denied = Map.groupBy((await Promise.all(answers)).flat(), ({ resource }) => resource);
  if (denied.size === 0) return;
  const missing = [...denied].map(
    ([resource, all]) => `${all.map(({ verb }) => verb)} ${resource}`,
  );
  const more = options.flatMap((option) => ['--with', option]);
  throw new GcError(`it is not permitted to ${missing.join(', ')}, so no report can be written`, {
    code: 'not-permitted',
    suggestions: [
      suggested('To print the roles that permit it', shellCommand`kubectl gc rbac report ${more}`),
    ],
  });
}

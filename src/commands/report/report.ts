import { problemsOf } from '../../output/metrics/report-metrics.ts';
import { exitCodeOfVerdict } from '../../shell/audit/audit-options.ts';
import { remarksOn } from '../../shell/audit/audit-remarks.ts';
import { parseWithin } from '../../shell/flags/parse-within.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { warnOfGaps } from '../../shell/terminal/streams.ts';
import { checkReport } from './check-report.ts';
import { hasSink, publish } from './publish.ts';
import { reportFlags } from './report-flags.ts';
import { serveReports } from './serve-reports.ts';
import { takeLook, whatIsAsked } from './take-look.ts';

export default class Report extends GcCommand {
  static override summary = 'How do findings and forecasts get into metrics and policy reports?';
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
    const asked = await whatIsAsked(flags);
    const session = this.session(flags);
    await checkReport(flags, session);
    if (flags.serve !== undefined) {
      this.endTelling();
      const every = parseWithin(flags.every ?? '5m', '--every');
      return serveReports(flags, asked, { address: flags.serve, every });
    }
    const look = await takeLook(flags, asked, session);
    warnOfGaps(problemsOf(look));
    await publish(flags, look, session);
    if (hasSink(flags)) for (const line of remarksOn(look.audit, asked.chosen)) this.remark(line);
    this.endWith(exitCodeOfVerdict[look.audit.verdict]);
  }
}

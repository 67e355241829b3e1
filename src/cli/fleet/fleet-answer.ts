import { type ExitCode, exitCodes } from '../../errors.ts';
import { timestampOf } from '../../kube/time.ts';
import { type ClusterReport, type FleetReport, fleetReport } from '../../output/documents/fleet.ts';
import { ofCluster } from '../../snapshot/coverage.ts';
import type { CommonFlags, ListingFlags } from '../flags/flags.ts';
import { timeOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';
import type { Answer } from '../oclif/answer.ts';
import { type Asked, askFleet, countOfUnread } from './ask-fleet.ts';
import type { Fleet } from './fleet.ts';

/** One report on all clusters; of what was read of each, only what is printed is kept. */
export async function fleetAnswer<R extends ClusterReport>(
  kind: R['kind'],
  fleet: Fleet,
  flags: CommonFlags & ListingFlags,
  ask: (session: Session, context: string) => Promise<Answer<R>>,
): Promise<Answer<FleetReport>> {
  const asked = await askFleet(fleet, flags, async (session, context) =>
    withoutRest(await ask(session, context), flags),
  );
  const answers = asked.flatMap(({ answer }) => answer ?? []);
  const at = clockOf(answers, flags);
  const clusters = asked.map(({ context, server, answer, failure }) => ({
    context,
    server,
    exitCode: answer ? (answer.exitCode ?? exitCodes.ok) : exitCodes.failed,
    report: answer?.report,
    failure,
  }));
  return {
    report: fleetReport(kind, clusters, at),
    taken: { observedAt: at, records: answers.flatMap(({ taken }) => taken.records ?? []) },
    exitCode: clusters.reduce<ExitCode>(
      (worst, { exitCode }) => (exitCode > worst ? exitCode : worst),
      exitCodes.ok,
    ),
    remarks: [...remarksOf(asked), ...countOfUnread(asked)],
    next: answers.find(({ next }) => next)?.next,
  };
}

/** Of the objects only those whose labels are shown: the others are as large as the cluster. */
function withoutRest<R extends ClusterReport>(
  answer: Answer<R>,
  { 'label-columns': columns, 'show-labels': all }: ListingFlags,
): Answer<R> {
  const { observedAt, records = [] } = answer.taken;
  if (!columns && !all) return { ...answer, taken: { observedAt } };
  const shown = new Set(answer.report.items.map(({ object }) => object.uid));
  return {
    ...answer,
    taken: { observedAt, records: records.filter(({ uid }) => shown.has(uid)) },
  };
}

/** RFC 3339: `--now`, else when the cluster was read that was read last, else the clock of this machine. */
function clockOf(answers: readonly Answer<ClusterReport>[], flags: CommonFlags): string {
  const now = timeOf(flags)?.getTime();
  const read = answers.map(({ taken }) => Date.parse(taken.observedAt));
  return timestampOf(now ?? (read.length > 0 ? Math.max(...read) : Date.now()));
}

/** What is to be said of all clusters alike is said once, the rest with the cluster that it is about. */
function remarksOf(asked: readonly Asked<Answer<ClusterReport>>[]): string[] {
  const said = asked.flatMap(({ context, answer }) =>
    answer ? [{ context, lines: answer.remarks }] : [],
  );
  const [first, ...others] = said;
  const common = new Set(
    others.length === 0
      ? []
      : first?.lines.filter((line) => others.every(({ lines }) => lines.includes(line))),
  );
  const own = said.flatMap(({ context, lines }) =>
    lines.filter((line) => !common.has(line)).map((line) => ofCluster(context, line)),
  );
  return [...common, ...own];
}

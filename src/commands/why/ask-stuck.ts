import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { CommandPlace } from '../../kube/shell-command.ts';
import { timestampOf } from '../../kube/time.ts';
import { type StuckDeletionsReport, stuckDeletionsReport } from '../../output/documents/stuck.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { openInquiry } from '../../shell/input/open-inquiry.ts';
import { onlyOf, readSource } from '../../shell/input/read-question.ts';
import { type AllNamespaces, scopeOf } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { explain } from '../../shell/questions/ask-why.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import { deletionsIn, leftOut, mostDeletions } from '../../why/investigate.ts';

/** Diagnoses every object that is being deleted: of some kinds, in a namespace or everywhere. */
export async function askStuck(
  args: readonly string[],
  flags: CommonFlags & AllNamespaces,
  session: Session,
): Promise<{ readonly report: StuckDeletionsReport; readonly snapshot: Snapshot }> {
  const scopeIn = scopeOf(args, {});
  const source = await openInquiry(flags, session);
  const { known, answer, namespace } = source;
  const inScope = scopeIn(known.types, undefined);
  const snapshot = await readSource(source, { namespaces: onlyOf(source) });
  const subjects = deletionsIn(snapshot, namespace, inScope);
  return withProgress('Following what is being deleted', () =>
    reportOn(snapshot, known, subjects, answer, session.place),
  );
}

async function reportOn(
  snapshot: Snapshot,
  known: Parameters<typeof explain>[0],
  subjects: readonly ObjectLocation[],
  answer: Parameters<typeof explain>[2],
  place: CommandPlace,
) {
  const { explained, readAt } = await explain(
    known,
    subjects.slice(0, mostDeletions),
    answer,
    undefined,
  );
  const { coverage } = headOf('StuckDeletions', snapshot, leftOut(subjects.length));
  const at = known.now === undefined ? readAt : timestampOf(known.now);
  return {
    report: stuckDeletionsReport(explained, coverage, at, place),
    snapshot,
  };
}

import { dueInGraph, type GraphReport, withOverdue } from '../../questions/owners/document.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { nowOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';
import { askAboutGarbage } from './ask-collector.ts';

/** The same where a cluster shows that the garbage collector should have deleted objects by now: these are read again. */
export async function observedGraph<Report extends GraphReport>(
  report: Report,
  snapshot: Snapshot,
  flags: Parameters<typeof nowOf>[0] & { readonly from?: unknown },
  session: Session,
): Promise<Report> {
  const seen = await askAboutGarbage(dueInGraph(report), snapshot, flags, session);
  return isOverdue(seen) ? withOverdue(report) : report;
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { dueInGraph, type GraphReport, withOverdue } from '../../questions/owners/document.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { isOverdue } from '../../why/garbage-collector/collector-health.ts';
import { nowOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';
import { askCollector } from './ask-collector.ts';

/** The same where a cluster shows that the garbage collector should have deleted objects by now: these are read again. */
export async function observedGraph<Report extends GraphReport>(
  report: Report,
  snapshot: Snapshot,
  flags: Parameters<typeof nowOf>[0] & { readonly from?: unknown },
  session: Session,
): Promise<Report> {
  const due = dueInGraph(report);
  if (flags.from || due.size === 0) return report;
  const isGarbage = ({ uid }: ObjectRecord) => due.has(uid);
  const cluster = await session.cluster();
  const seen = await askCollector(cluster, snapshot, nowOf(flags, snapshot), isGarbage);
  return isOverdue(seen) ? withOverdue(report) : report;
}

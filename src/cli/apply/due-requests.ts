import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** One thing that a collector would do now, and the request by which it does. */
export interface DueWork {
  readonly record: ObjectRecord;
  readonly request: PlannedRequest;
  readonly because: string;
  readonly rule: string;
}

/** What a collector would do now, as it was found in one look at the cluster. */
export interface Work {
  readonly snapshot: Snapshot;
  readonly due: readonly DueWork[];
  readonly leftAlone: readonly LeftAlone[];
  /** What could not be read, and decides. */
  readonly problems: readonly CoverageProblem[];
}

/** What of a second look at the cluster was seen and agreed to before; nothing is added. */
export function approvedPart(
  again: Work,
  approved: Work,
): { readonly work: Work; readonly dropped: number } {
  const known = new Map(approved.due.map((one) => [one.record.uid, one]));
  const due = again.due.flatMap((one) => {
    const before = known.get(one.record.uid);
    if (before?.request.verb !== one.request.verb) return [];
    // What the server has rehearsed is what is sent; a status is about the generation seen then.
    return [
      one.request.patch?.subresource === 'status' ? { ...one, request: before.request } : one,
    ];
  });
  const work = { ...again, due, leftAlone: approved.leftAlone };
  return { work, dropped: approved.due.length - due.length };
}

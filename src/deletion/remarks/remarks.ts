import type { PlanRemark } from '../plan/plan.ts';
import { podsThatMayStay } from '../plan/play/pods-that-stay.ts';
import { contentRemarks, danglingRemarks, deliveredRemarks, unservedApis } from './contents.ts';
import { dataRemarks, lostPods, secrets } from './data.ts';
import { inUse } from './in-use.ts';
import { leftBindings } from './left-bindings.ts';
import { leftWithoutBackend } from './left-without-backend.ts';
import { adopted, notWaitedFor, recreated } from './recreated.ts';
import { judgedInFiles, refusedAlong } from './refused-along.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';
import { finalizerDeadlocks, leftWithoutProgram, silentNodes } from './stuck.ts';

/** Everything to know before saying yes, what weighs most first: lost data, then what can never be deleted afterwards. */
export function remarksOf(input: RemarkInput): PlanRemark[] {
  return [
    ...dataRemarks(input),
    ...secrets(input),
    ...lostPods(input),
    ...finalizerDeadlocks(input),
    ...leftWithoutProgram(input),
    ...leftWithoutBackend(input),
    ...silentNodes(input),
    ...inUse(input),
    ...contentRemarks(input),
    ...refusedAlong(input),
    ...judgedInFiles(input),
    ...deliveredRemarks(input),
    ...unservedApis(input),
    ...endedPodsElsewhere(input),
    ...recreated(input),
    ...adopted(input),
    ...notWaitedFor(input),
    ...danglingRemarks(input),
    ...leftBindings(input),
  ];
}

/** Pods of other namespaces may be deleted because these end and stay, and they could not be listed. */
function endedPodsElsewhere({ context, going }: RemarkInput): PlanRemark[] {
  if (!context.endedPodsUnread) return [];
  const records = going.map(({ record }) => record);
  const objects = identitiesOf(podsThatMayStay(records, context.settings));
  if (objects.length === 0) return [];
  const message = `More may be deleted: finished Pods of other namespaces could not be listed. While a finalizer blocks ${namesOf(objects)}, pod garbage collection may delete the oldest of them.`;
  return [{ code: 'ended-pods', severity: 'note', message, objects }];
}

import type { PlanRemark } from '../plan/plan.ts';
import { contentRemarks, danglingRemarks, deliveredRemarks, unservedApis } from './contents.ts';
import { dataRemarks, lostPods, secrets } from './data.ts';
import { endedPodsElsewhere } from './ended-pods.ts';
import { inUse } from './in-use.ts';
import { leftBindings } from './left-bindings.ts';
import { leftWithoutBackend } from './left-without-backend.ts';
import { adopted, notWaitedFor, recreated } from './recreated.ts';
import { judgedInFiles, refusedAlong } from './refused-along.ts';
import type { RemarkInput } from './remark-input.ts';
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

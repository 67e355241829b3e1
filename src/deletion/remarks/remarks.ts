import type { PlanRemark } from '../plan/plan.ts';
import { adopted } from './adopted.ts';
import { contentRemarks, danglingRemarks } from './contents.ts';
import { deliveredRemarks } from './delivered.ts';
import { finalizerDeadlocks } from './finalizer-deadlocks.ts';
import { leftWithoutBackend } from './left-without-backend.ts';
import { leftWithoutProgram } from './left-without-program.ts';
import { notWaitedFor } from './not-waited-for.ts';
import { recreated } from './recreated.ts';
import type { RemarkInput } from './remark-input.ts';
import { secrets } from './secrets.ts';
import { silentNodes } from './silent-nodes.ts';
import { unservedApis } from './unserved-apis.ts';
import { volumes } from './volumes.ts';

/** Everything to know before saying yes, what weighs most first: the data that goes. */
export function remarksOf(input: RemarkInput): PlanRemark[] {
  return [
    ...volumes(input),
    ...secrets(input),
    ...contentRemarks(input),
    ...deliveredRemarks(input),
    ...unservedApis(input),
    ...finalizerDeadlocks(input),
    ...leftWithoutProgram(input),
    ...leftWithoutBackend(input),
    ...silentNodes(input),
    ...recreated(input),
    ...adopted(input),
    ...notWaitedFor(input),
    ...danglingRemarks(input),
  ];
}

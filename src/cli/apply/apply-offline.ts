import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type ApplyFlags, applyOptionsOf, showingFlag } from '../flags/apply-flags.ts';
import { printDocument } from '../loop/print-plan.ts';
import { refuseDangerous } from '../loop/refusals.ts';
import { writeErr } from '../terminal/streams.ts';
import type { Work } from './due-requests.ts';
import { planWork } from './plan-due.ts';

/** The plan that a picture from files shows; there is nobody to send it to. */
export async function applyOffline(
  flags: ApplyFlags,
  snapshot: Snapshot,
  work: Work,
): Promise<void> {
  const options = applyOptionsOf(flags);
  const planned = planWork(snapshot, work, { server: '', uid: '' });
  await printDocument(planned, flags, options);
  refuseDangerous(planned.plan, { ...flags, 'allow-incomplete': true }, options, showingFlag);
  writeErr('Nothing was sent: this is a plan made from files.');
}

import type { Snapshot } from '../../snapshot/snapshot.ts';
import { printDocument } from '../delete/print-plan.ts';
import { refuseDangerous } from '../delete/refusals.ts';
import { writeErr } from '../streams.ts';
import { type ApplyFlags, applyOptionsOf, showingFlag } from './apply-flags.ts';
import { planWork } from './plan-work.ts';
import type { Work } from './work.ts';

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

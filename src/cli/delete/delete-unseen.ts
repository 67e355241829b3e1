import { writeOut } from '../streams.ts';
import { deletedLine } from './deletion-target.ts';
import type { GottenTarget } from './get-targets.ts';
import type { LiveDeletion } from './live-deletion.ts';
import type { Outcome } from './outcome.ts';
import { sendDelete } from './send-delete.ts';

/** Is it there, and may it not be looked at? */
export function isForbidden({ failure }: GottenTarget): boolean {
  return failure?.status?.code === 403;
}

/**
 * What may be deleted but not be read can be neither planned nor bound to its uid. With
 * --allow-incomplete it is deleted as kubectl does it; else the request is rehearsed only, so that
 * whoever may not delete it either reads the reason kubectl gives.
 */
export async function deleteUnseen(
  { target, position, failure }: GottenTarget,
  { cluster, flags, options }: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  const isAllowed = flags['allow-incomplete'] ?? false;
  const dryRun = isAllowed ? options.dryRun : 'server';
  const refused = await sendDelete(cluster.client, target, { ...options, dryRun });
  if (refused) outcome.objectFailed(position, refused);
  else if (isAllowed) {
    await writeOut(deletedLine(target, { ...options, output: flags.output }));
    outcome.accepted += 1;
  } else {
    const why = `it may be deleted, but not be looked at: ${failure?.message ?? ''}`;
    outcome.objectFailed(position, { message: `${why}; --allow-incomplete deletes it unseen` });
  }
}

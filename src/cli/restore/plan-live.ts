import { judgeAsSaved } from '../../backup/as-saved.ts';
import { inClusterTerms } from '../../backup/in-cluster-terms.ts';
import { narrow } from '../../backup/narrow.ts';
import { OwnerLookup } from '../../backup/owner-lookup.ts';
import { placesToLook } from '../../backup/places-to-look.ts';
import { planRestoration } from '../../backup/plan-restoration.ts';
import type { PlannedRestoration } from '../../backup/planned-restoration.ts';
import { keyOf } from '../../backup/saved-object.ts';
import { GcError, usageError } from '../../errors.ts';
import type { PlannedCluster } from '../../plan/plan.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { OpenedCluster } from '../input.ts';
import { parseArguments } from '../parse-arguments.ts';
import { startProgress } from '../progress.ts';
import { writeErr } from '../streams.ts';
import type { OpenedSaved } from './open-saved.ts';
import type { RestoreFlags, RestoreRequest } from './restore-options.ts';

export interface LivePlan {
  readonly planned: readonly PlannedRestoration[];
  readonly problems: readonly CoverageProblem[];
}

/** Compares what was saved with what is in the cluster, and decides about each object. */
export async function planLive(
  opened: OpenedSaved,
  { client, types }: OpenedCluster,
  request: RestoreRequest,
  flags: RestoreFlags,
): Promise<LivePlan> {
  const all = inClusterTerms(opened.saved, types, client.namespace);
  const { targets, notes } = parseArguments(request.targets, types);
  for (const note of notes) writeErr(`Note: ${note}`);
  const lookup = new OwnerLookup(types, all);
  const saved = targets.length === 0 ? all : narrow(all, targets, lookup);
  if (saved.length === 0) throw nothingToRestore(targets.length > 0);
  const places = placesToLook(saved, lookup);
  const { lookUpLive } = await import('../../executor/restore-look-up.ts');
  const progress = startProgress('Looking at what is there');
  try {
    const live = await lookUpLive(client, places, lookup, {
      onProgress: (done) =>
        progress.update(`Looking at what is there: ${done} of ${places.length} objects`),
    });
    const isBackup = opened.source.kind === 'backup';
    const planned = planRestoration(saved, live, types, {
      deleted: isBackup,
      sameCluster: isBackup && !flags['other-cluster'],
      finished: flags.finished,
      withoutOwners: flags['without-owners'],
    });
    const asSaved = isBackup
      ? new Map<string, never>()
      : judgeAsSaved(saved, places, live, types, lookup);
    const problems = live.problems().map((message): CoverageProblem => {
      return { reason: 'unavailable', message };
    });
    return {
      planned: planned.map((one) => {
        const judged = asSaved.get(keyOf(one.saved));
        return judged ? { ...one, asSaved: judged } : one;
      }),
      problems: [...opened.problems, ...problems],
    };
  } finally {
    progress.stop();
  }
}

function nothingToRestore(narrowed: boolean): GcError {
  return narrowed
    ? usageError('not-in-backup', 'nothing of that name was saved', 'Leave it out to see what was.')
    : new GcError('there is no object to restore in it', { code: 'empty-backup' });
}

/** A backup belongs to the cluster it was made of: in another one its names may mean other things. */
export function refuseOtherCluster(
  saved: PlannedCluster | undefined,
  here: PlannedCluster,
  flags: RestoreFlags,
): void {
  if (!saved || flags['other-cluster']) return;
  const isKnown = saved.uid !== '' && here.uid !== '';
  if (isKnown ? saved.uid === here.uid : saved.server === here.server) return;
  throw usageError(
    'other-cluster',
    `the backup is of the cluster ${saved.server} (uid ${saved.uid || 'unknown'}), and this is ${here.server} (uid ${here.uid || 'unknown'})`,
    'Choose the cluster with --context, or add --other-cluster if this is meant.',
  );
}

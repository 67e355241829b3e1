import type { PlannedRestoration } from '../../backup/planned-restoration.ts';
import { identityOf } from '../../backup/saved-object.ts';
import type { RestoreResult } from '../../executor/restore.ts';
import { printedName } from '../../reporters/printed-name.ts';
import { listenForInterruption } from '../delete/interruption.ts';
import type { OpenedCluster } from '../input.ts';
import { startProgress } from '../progress.ts';
import { writeErr } from '../streams.ts';

export interface Performed {
  readonly results: ReadonlyMap<string, RestoreResult>;
  readonly interrupted: boolean;
}

/** Sends what was planned; Ctrl-C ends it after the requests that are on their way. */
export async function perform(
  planned: readonly PlannedRestoration[],
  { client, types }: OpenedCluster,
  dryRun: boolean,
): Promise<Performed> {
  const { restore } = await import('../../executor/restore.ts');
  const { discover } = await import('../../sources/cluster/discover.ts');
  const total = planned.filter(({ action }) => action === 'create' || action === 'relink').length;
  const progress = startProgress('Restoring');
  const interruption = listenForInterruption();
  const seen = new Set<PlannedRestoration>();
  try {
    const results = await restore(planned, client, types, {
      dryRun,
      signal: interruption.signal,
      discover: async () => (await discover(client)).types,
      onResult: (one, result) => {
        seen.add(one);
        progress.update(`Restoring: ${seen.size} of ${total} objects`);
        if (result.outcome === 'refused' || result.outcome === 'faulty') {
          writeErr(refusal(one, result));
        }
      },
    });
    return { results, interrupted: interruption.signal.aborted };
  } finally {
    interruption.stop();
    progress.stop();
  }
}

function refusal({ saved }: PlannedRestoration, { outcome, message }: RestoreResult): string {
  const where = saved.namespace === '' ? '' : ` in namespace ${saved.namespace}`;
  const what = outcome === 'faulty' ? 'restored with a fault' : 'not restored';
  return `${printedName(identityOf(saved))}${where} ${what}: ${message ?? 'refused'}`;
}

import { discover } from '../../cluster/list/discover.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printedPlace } from '../../output/printable.ts';
import type { Interruption } from '../../perform/interrupted.ts';
import { type RestoreResult, restore } from '../../restore/perform/restore.ts';
import type { PlannedRestoration } from '../../restore/plan/planned-restoration.ts';
import {
  notRestored,
  type Restoration,
  type RestoredObject,
} from '../../restore/plan/restoration.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { writeErr } from '../../shell/terminal/streams.ts';

/** Sends what was planned; Ctrl-C ends it after the requests that are on their way. */
export async function perform(
  planned: readonly PlannedRestoration[],
  { client, types }: OpenedCluster,
  { dryRun, interruption }: { readonly dryRun: boolean; readonly interruption: Interruption },
) {
  const total = planned.filter(({ action }) => action === 'create' || action === 'relink').length;
  const seen = new Set<PlannedRestoration>();
  return withProgress('Restoring', async (progress) => {
    const results = await restore(planned, client, types, {
      dryRun,
      signal: interruption.signal,
      ...(planned.some(bringsKinds) && { discover: async () => (await discover(client)).types }),
      onResult: (one, result) => {
        seen.add(one);
        progress.update(`Restoring: ${seen.size} of ${total} objects`);
        if (result.outcome === 'refused' || result.outcome === 'faulty') {
          writeErr(refusal(one, result));
        }
      },
    });
    return { results, interrupted: interruption.signal.aborted };
  });
}

/** A restored definition or APIService brings kinds that were not served when the command began. */
function bringsKinds({ saved }: PlannedRestoration): boolean {
  return saved.defines !== undefined || saved.type.kind === 'APIService';
}

function refusal({ saved }: PlannedRestoration, { outcome, message }: RestoreResult): string {
  const what = outcome === 'faulty' ? 'restored with a problem' : 'not restored';
  return `${printedPlace(referenceTo(saved))} ${what}: ${message ?? 'refused'}`;
}

export function accountOf(restoration: Restoration): string[] {
  const { objects, state } = restoration;
  const lines: string[] = [];
  const taken = objects.filter(({ asSaved }) => asSaved?.action === 'delete').length;
  if (taken > 0 && state === 'planned') {
    lines.push(
      `Applied as they were saved, ${counted(taken, 'object')} would be deleted by the garbage collector at once.`,
    );
  }
  const counts = Map.groupBy<string, RestoredObject>(
    objects,
    ({ outcome, action }) => outcome ?? action,
  );
  const parts = [...words].flatMap(([word, text]) => {
    const some = counts.get(word)?.length ?? 0;
    return some === 0 ? [] : `${some} ${text}`;
  });
  lines.push(`${stateWords[state]}: ${parts.join(', ')}.`);
  return lines;
}

const stateWords = {
  planned: 'Nothing was sent',
  rehearsed: 'Rehearsed on the server, and nothing was stored',
  performed: 'Done',
  interrupted: 'Interrupted',
} as const;

const words = new Map<string, string>([
  ['create', 'to create'],
  ['relink', 'to give an owner back'],
  ['created', 'created'],
  ['relinked', 'given an owner back'],
  ['exists', 'there already'],
  ['skip', 'left out'],
  ['cannot', 'cannot be restored'],
  ['faulty', 'there with a problem'],
  ['refused', 'refused'],
  ['not-tried', 'not tried'],
]);

/** 4 when something that should be there is not. */
export function exitCodeOf(restoration: Restoration): ExitCode {
  if (restoration.state === 'interrupted') return exitCodes.interrupted;
  return notRestored(restoration).length > 0 ? exitCodes.incomplete : exitCodes.ok;
}

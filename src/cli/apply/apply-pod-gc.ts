import type { ExitCode } from '../../errors.ts';
import type { PodGcPreview } from '../../output/documents/podgc-preview.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { listKinds } from '../input/open-kinds.ts';
import type { Session } from '../input/session.ts';
import { writeErr } from '../terminal/streams.ts';
import { applyDue } from './apply-due.ts';
import { podGcReads, podGcWork } from './due-of-pod-gc.ts';

/** Deletes the pods that pod garbage collection would delete now, and those above a threshold of one's own. */
export async function applyPodGc(
  flags: ApplyFlags,
  previewOf: (snapshot: Snapshot) => PodGcPreview,
  session: Session,
): Promise<ExitCode> {
  let toldOff = false;
  const workOf = (snapshot: Snapshot) => {
    const report = previewOf(snapshot);
    if (!report.settings.enabled && !toldOff) {
      toldOff = true;
      writeErr('pod-garbage-collector-controller is switched off, and does nothing.');
    }
    return podGcWork(report, snapshot);
  };
  return applyDue(flags, session, {
    inFiles: workOf,
    onCluster: async (cluster) => workOf(await listKinds(cluster, podGcReads)),
  });
}

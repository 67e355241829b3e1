import { type ExitCode, exitCodes } from '../../errors.ts';
import type { PodGcPreview } from '../../output/documents/podgc-preview.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { openFiles } from '../input/input.ts';
import { listKinds } from '../input/open-kinds.ts';
import type { Session } from '../input/session.ts';
import { writeErr } from '../terminal/streams.ts';
import { applyOffline } from './apply-offline.ts';
import { applyOnCluster } from './apply-on-cluster.ts';
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
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    await applyOffline(flags, snapshot, workOf(snapshot));
    return exitCodes.ok;
  }
  return applyOnCluster(flags, session, async (cluster) =>
    workOf(await listKinds(cluster, podGcReads)),
  );
}

import { viewOf } from '../../controllers/cluster-view.ts';
import type { Decision, PatchRequest } from '../../controllers/controller.ts';
import {
  type PodGcStep,
  podGcDeleteOptions,
  statusPatchOf,
} from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ExitCode } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { leases } from '../../kube/well-known-kinds.ts';
import type { PodGcPreview } from '../../questions/podgc-preview/document.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { Session } from '../input/session.ts';
import { writeErr } from '../terminal/streams.ts';
import { applyDue } from './apply-due.ts';
import type { DueWork, Work } from './plan-due.ts';

/** What of a preview is due, and with a threshold of one's own what is above it. */
function podGcWork(report: PodGcPreview, snapshot: Snapshot): Work {
  const view = viewOf(snapshot);
  const due = new Map<string, DueWork>();
  const leftAlone: LeftAlone[] = [];
  const now = Date.parse(report.at);
  const recordOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
    view.at('pods', namespace, name);
  for (const item of report.items) {
    const record = recordOf(item.object);
    if (!record) continue;
    const not = whyNotNow(item, now);
    if (not === undefined) due.set(record.uid, podWork(record, item));
    else leftAlone.push({ object: referenceTo(record), because: not });
  }
  for (const { object, because } of report.ownThreshold?.items ?? []) {
    const record = recordOf(object);
    if (!record || due.has(record.uid)) continue;
    const patch = statusPatchOf(record, 'terminated', now);
    const step = 'terminated' as const;
    due.set(record.uid, podWork(record, { step, ...(patch && { patch }), because, rule: '' }));
  }
  for (const { object, because } of [...report.waiting, ...report.unknown]) {
    const record = recordOf(object);
    if (record) leftAlone.push({ object: referenceTo(record), because });
  }
  return {
    snapshot,
    due: [...due.values()],
    leftAlone: leftAlone.filter(({ object }) => !due.has(object.uid)),
    // Without the leader's Lease, only the time since which it leads is unknown.
    problems: snapshot.coverage.problems.filter(({ resource }) => resource !== leases),
  };
}

type Choice = Pick<Decision, 'because' | 'rule'> & {
  readonly step: PodGcStep;
  readonly patch?: PatchRequest;
};

/** The request of one choice: its status first where it has not ended, and what its Node must be. */
export function podWork(record: ObjectRecord, { step, patch, because, rule }: Choice): DueWork {
  const name = knownNodeOf(record) ?? '';
  const { resourceVersion } = record;
  const request: PlannedRequest = {
    verb: 'delete',
    ...referenceTo(record),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...podGcDeleteOptions,
    ...(patch && { patch: { ...patch, type: 'strategic' } }),
    ...(step === 'orphaned' && { node: { name, is: 'gone' } }),
    ...(step === 'out-of-service' && { node: { name, is: 'out-of-service' } }),
  };
  return { record, request, because, rule };
}

/** Why a controller's decision is not carried out; undefined: it is certain, and due. */
export function whyNotNow(
  item: Pick<Decision, 'confidence' | 'because'> & { readonly notBefore: string },
  now: number,
): string | undefined {
  if (Date.parse(item.notBefore) > now) return `not before ${item.notBefore}: ${item.because}`;
  return item.confidence === 'certain' ? undefined : `not certain: ${item.because}`;
}

/** Deletes the pods that pod garbage collection would delete now, and those above a threshold of one's own. */
export async function applyPodGc(
  flags: ApplyFlags,
  previewOf: (snapshot: Snapshot) => PodGcPreview,
  session: Session,
  seen: SeenSettings,
): Promise<ExitCode> {
  let isReported = false;
  const workOf = (snapshot: Snapshot) => {
    const report = previewOf(snapshot);
    if (!report.settings.enabled && !isReported) {
      isReported = true;
      writeErr('pod-garbage-collector-controller is switched off, and does nothing.');
    }
    return podGcWork(report, snapshot);
  };
  const reads = { kinds: [...podGarbageCollector.reads, leases], facts: true };
  return applyDue(flags, session, { reads, seen, workOf });
}

import { viewOf } from '../../controllers/cluster-view.ts';
import type { DecisionConfidence, PatchRequest } from '../../controllers/controller.ts';
import {
  type PodGcStep,
  podGcDeleteOptions,
  statusPatchOf,
} from '../../controllers/pod-gc/pass.ts';
import type { LeftAlone, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import type { PodGcPreview } from '../../output/documents/podgc-preview.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DueWork, Work } from './due-requests.ts';

/** What of a preview is due, and with a threshold of one's own what is above it. */
export function podGcWork(report: PodGcPreview, snapshot: Snapshot): Work {
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
    // Without the leader's Lease no more is unknown than since when it leads.
    problems: snapshot.coverage.problems.filter(
      ({ resource }) => resource !== 'leases.coordination.k8s.io',
    ),
  };
}

interface Choice {
  readonly step: PodGcStep;
  readonly patch?: PatchRequest;
  readonly because: string;
  readonly rule: string;
}

/** The request of one choice: its status first where it has not ended, and what its Node must be. */
export function podWork(record: ObjectRecord, { step, patch, because, rule }: Choice): DueWork {
  const name = knownNodeOf(record) ?? '';
  const request: PlannedRequest = {
    verb: 'delete',
    ...referenceTo(record),
    ...podGcDeleteOptions,
    ...(patch && { patch: { ...patch, type: 'strategic' } }),
    ...(step === 'orphaned' && { node: { name, is: 'gone' } }),
    ...(step === 'out-of-service' && { node: { name, is: 'out-of-service' } }),
    wave: 0,
  };
  return { record, request, because, rule };
}

/** What pod garbage collection decides by, and where its controller's memory begins. */
export const podGcReads: readonly string[] = ['pods', 'nodes', 'leases.coordination.k8s.io'];

/** Why a collector's decision is not carried out; undefined: it is certain, and due. */
export function whyNotNow(
  item: {
    readonly notBefore: string;
    readonly confidence: DecisionConfidence;
    readonly because: string;
  },
  now: number,
): string | undefined {
  if (Date.parse(item.notBefore) > now) return `not before ${item.notBefore}: ${item.because}`;
  return item.confidence === 'certain' ? undefined : `not certain: ${item.because}`;
}

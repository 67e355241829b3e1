import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Collector, Decision, Leftover } from '../collector.ts';
import { deletion, patching, type TimeRange } from '../decide.ts';
import { deleterOf } from './deleter.ts';
import { releasedProtections } from './protection.ts';
import { releasedBy } from './released.ts';

const id = 'persistentvolume-reclaim';
const volumes = 'persistentvolumes';

/** What becomes of a volume without its claim, and when volumes and claims lose their protection. */
export const persistentVolumeReclaim: Collector = {
  id,
  controllers: [
    'persistentvolume-binder-controller',
    'persistentvolume-protection-controller',
    'persistentvolumeclaim-protection-controller',
  ],
  reads: [volumes, 'persistentvolumeclaims', 'pods'],
  decide(view, { pvClaimBinderSyncPeriod }, now) {
    const sync = { notBefore: now, notAfter: now + pvClaimBinderSyncPeriod };
    return [
      ...view.all(volumes).flatMap((volume) => reclaim(view, volume, sync)),
      ...releasedProtections(view, now),
    ];
  },
  leftovers: (view) => view.all(volumes).flatMap((volume) => kept(view, volume)),
};

function reclaim(view: ClusterView, volume: ObjectRecord, sync: TimeRange): Decision[] {
  const released = releasedBy(view, volume);
  const { annotations, facts } = volume;
  const policy = facts?.persistentVolumeReclaimPolicy;
  if (!released) return [];
  const base = {
    ...sync,
    confidence: released.isCertain ? ('certain' as const) : ('unknown' as const),
  };
  if (policy === 'Retain') {
    if (facts?.phase === 'Released' || facts?.phase === 'Failed') return [];
    const patch = { subresource: 'status' as const, body: { status: { phase: 'Released' } } };
    const because = `${released.because}, and its reclaim policy is Retain: it is kept`;
    return [patching(id, volume, { ...base, patch, because, rule: 'PV-2' })];
  }
  if (policy === 'Recycle') {
    if (annotations?.['pv.kubernetes.io/migrated-to']) return [];
    const phase = facts?.source?.hostPath || facts?.source?.nfs ? 'Available' : 'Failed';
    const patch = { subresource: 'status' as const, body: { status: { phase } } };
    const because = `${released.because}, and its reclaim policy is Recycle`;
    return [patching(id, volume, { ...base, confidence: 'likely', patch, because, rule: 'PV-4' })];
  }
  if (policy !== 'Delete') return [];
  const deleter = deleterOf(volume);
  const because = `${released.because}, and its reclaim policy is Delete`;
  switch (deleter.by) {
    case 'controller-manager':
      if (isBeingDeleted(volume)) return [];
      return [
        deletion(id, volume, {
          ...base,
          because: `${because}: kube-controller-manager removes ${facts?.source?.hostPath} on its own machine, then the volume`,
          rule: 'PV-7',
        }),
      ];
    case 'external':
      // A provisioner waits for the phase, and nobody knows whether it runs.
      return [
        deletion(id, volume, {
          notBefore: sync.notBefore,
          notAfter: undefined,
          confidence: facts?.phase === 'Failed' ? 'unknown' : 'likely',
          because: `${because}: provisioner ${deleter.provisioner} deletes it, if it runs`,
          rule: 'PV-10',
        }),
      ];
    case 'nobody': {
      if (facts?.phase === 'Failed') return [];
      const patch = { subresource: 'status' as const, body: { status: { phase: 'Failed' } } };
      return [
        patching(id, volume, {
          ...base,
          patch,
          because: `${because}, but ${deleter.error}`,
          rule: 'PV-6',
        }),
      ];
    }
  }
}

/** Released for good: kept on purpose, or without anybody who can delete it. */
function kept(view: ClusterView, volume: ObjectRecord): Leftover[] {
  const released = releasedBy(view, volume);
  const {
    persistentVolumeReclaimPolicy: policy,
    phase,
    lastPhaseTransitionTime,
  } = volume.facts ?? {};
  if (!released?.isCertain || isBeingDeleted(volume)) return [];
  const since = lastPhaseTransitionTime ? `, ${phase} since ${lastPhaseTransitionTime}` : '';
  if (policy === 'Retain') {
    const because = `${released.because}, and its reclaim policy is Retain${since}`;
    return [{ collector: id, object: volume, because, rule: 'PV-4' }];
  }
  const deleter = deleterOf(volume);
  if (policy !== 'Delete' || deleter.by !== 'nobody') return [];
  const because = `${released.because}, its reclaim policy is Delete, but ${deleter.error}${since}`;
  return [{ collector: id, object: volume, because, rule: 'PV-6' }];
}

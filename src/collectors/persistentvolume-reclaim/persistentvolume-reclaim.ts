import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Collector, Decision, Leftover, PatchRequest } from '../collector.ts';
import { deletion, patching, type TimeRange } from '../decide.ts';
import { deleterOf } from './deleter.ts';
import { isBlocked, keptForDeletion, migratedTo } from './migration.ts';
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
  const { facts } = volume;
  const policy = facts?.persistentVolumeReclaimPolicy;
  if (!released || isBlocked(volume)) return [];
  const base = {
    ...sync,
    confidence: released.isCertain ? ('certain' as const) : ('unknown' as const),
  };
  // The protection of one that is being deleted may go before a failure is noted, and it with that.
  const failing = isBeingDeleted(volume) ? { ...base, confidence: 'likely' as const } : base;
  const isNoted = facts?.phase === 'Released' || facts?.phase === 'Failed';
  const noted = (because: string): Decision[] =>
    isNoted
      ? []
      : [patching(id, volume, { ...base, patch: phaseOf('Released'), because, rule: 'PV-2' })];
  if (policy === 'Retain') {
    return noted(`${released.because}, and its reclaim policy is Retain: it is kept`);
  }
  if (policy === 'Recycle') {
    const because = `${released.because}, and its reclaim policy is Recycle`;
    if (migratedTo(volume)) return noted(because);
    if (!facts?.source?.hostPath && !facts?.source?.nfs) {
      if (facts?.phase === 'Failed') return [];
      const why = `${because}, which no plugin can do for it`;
      return [
        patching(id, volume, { ...failing, patch: phaseOf('Failed'), because: why, rule: 'PV-4' }),
      ];
    }
    // A pod empties it first, on some Node.
    const end = { notBefore: sync.notBefore, notAfter: undefined, confidence: 'likely' as const };
    const why = `${because}: a pod empties it, if nobody uses it any more`;
    return [
      patching(id, volume, { ...end, patch: phaseOf('Available'), because: why, rule: 'PV-4' }),
    ];
  }
  if (policy !== 'Delete') return [];
  const deleter = deleterOf(volume);
  const because = `${released.because}, and its reclaim policy is Delete`;
  // Its other finalizers may keep a volume that is being deleted.
  const letGo = (reason: string): Decision[] => {
    if (!volume.finalizers.includes(keptForDeletion)) return [];
    const finalizers = volume.finalizers.filter((one) => one !== keptForDeletion);
    const patch = { body: { metadata: { finalizers } } };
    const why = `${reason}: kube-controller-manager removes ${facts?.source?.hostPath} on its own machine, then its finalizer`;
    return [patching(id, volume, { ...base, patch, because: why, rule: 'PV-7' })];
  };
  switch (deleter.by) {
    case 'controller-manager':
      if (isBeingDeleted(volume))
        return [...noted(`${because}, and it is being deleted`), ...letGo(because)];
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
      return [
        patching(id, volume, {
          ...failing,
          patch: phaseOf('Failed'),
          because: `${because}, but ${deleter.error}`,
          rule: 'PV-6',
        }),
      ];
    }
  }
}

function phaseOf(phase: string): PatchRequest {
  return { subresource: 'status', body: { status: { phase } } };
}

/** Released for good: kept on purpose, or without anybody who can delete it. */
function kept(view: ClusterView, volume: ObjectRecord): Leftover[] {
  const released = releasedBy(view, volume);
  const {
    persistentVolumeReclaimPolicy: policy,
    phase,
    lastPhaseTransitionTime,
  } = volume.facts ?? {};
  if (!released?.isCertain) return [];
  if (isBlocked(volume) && phase === 'Bound') {
    const because = `${released.because}, but it is being deleted and its controller fails to add a finalizer to it, which nobody may do any more`;
    return [{ collector: id, object: volume, because, rule: 'PV-9' }];
  }
  if (isBeingDeleted(volume)) return [];
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

import {
  controllerOf,
  isBeingDeleted,
  type ObjectRecord,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import { nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { age } from '../../kube/time.ts';
import { persistentVolumeClaims, persistentVolumes } from '../../kube/well-known-kinds.ts';
import { type ClusterView, type Keys, ownName } from '../cluster-view.ts';
import type {
  Decision,
  Leftover,
  PatchRequest,
  SyncController,
  SyncedController,
  SyncInput,
} from '../controller.ts';
import { deletion, nextSync, patching, removingFinalizer, type TimeRange } from '../decision.ts';
import { claimNamesOf, claimsOrUnread, podsUsing, unreadUse } from './pods-using.ts';
import {
  deleterOf,
  isBlocked,
  keptForDeletion,
  migratedTo,
  provisionerOf,
  storageLeft,
} from './volume-deleter.ts';

/** A claim, its volume and its Pods. */
const volumeKeys: Keys = {
  [persistentVolumes]: boundClaim,
  [persistentVolumeClaims]: ownName,
  pods: claimNamesOf,
};

/** Volumes whose claim was deleted are released, and reclaimed (PV-2 to PV-7). */
const binder: SyncController = {
  runsAs: 'persistentvolume-binder-controller',
  syncs: persistentVolumes,
  sync: syncVolume,
  watches: [persistentVolumes, persistentVolumeClaims],
  needsSync(volume, { view }) {
    const { claimRef } = volume.facts ?? {};
    if (!claimRef) return false;
    if (claimRef.uid === undefined) return isReserved(volume);
    const claim = view.at(persistentVolumeClaims, claimRef.namespace ?? '', claimRef.name);
    return claim?.uid !== claimRef.uid || claim.facts?.volumeName !== volume.name;
  },
  keys: volumeKeys,
  links: volumeKeys,
};

/** PV-11. */
const volumeProtection: SyncController = {
  runsAs: 'persistentvolume-protection-controller',
  syncs: persistentVolumes,
  sync: releaseVolume,
  watches: [persistentVolumes],
  needsSync: isBeingDeleted,
  links: volumeKeys,
};

/** PV-12. */
const claimProtection: SyncController = {
  runsAs: 'persistentvolumeclaim-protection-controller',
  syncs: persistentVolumeClaims,
  sync: releaseClaim,
  watches: [persistentVolumeClaims, 'pods'],
  needsSync: isBeingDeleted,
  keys: volumeKeys,
  links: {
    [persistentVolumes]: boundClaim,
    [persistentVolumeClaims]: (claim, { view }) => [...ownName(claim), ...unreadUse(claim, view)],
    pods: claimsOrUnread,
  },
};

/** `namespace/name` of the claim that a volume is bound to. */
function boundClaim({ facts }: ObjectRecord): readonly string[] {
  const { claimRef } = facts ?? {};
  return claimRef ? [`${claimRef.namespace ?? ''}/${claimRef.name}`] : [];
}

/**
 * What happens to a volume without its claim, and when volumes and claims lose their protection.
 */
export const persistentVolumeReclaim: SyncedController = {
  id: 'persistentvolume-reclaim',
  controllers: [
    'persistentvolume-binder-controller',
    'persistentvolume-protection-controller',
    'persistentvolumeclaim-protection-controller',
  ],
  reads: [persistentVolumes, persistentVolumeClaims, 'pods'],
  syncers: [binder, volumeProtection, claimProtection],
  leftovers: (view) => view.all(persistentVolumes).flatMap((volume) => keptVolumes(view, volume)),
};

/** In a play it does one thing after another. */
function syncVolume(volume: ObjectRecord, by: SyncInput): Decision[] {
  const { view, settings, now, trigger } = by;
  const sync = { notBefore: now, notAfter: now + settings.pvClaimBinderSyncPeriod };
  if (trigger === undefined) return reclaim(view, volume, sync);
  if (isReserved(volume)) return trigger === 'change' ? perhapsBound(volume, by) : [];
  const released = releasedBy(view, volume);
  if (!released?.isCertain) return reclaim(view, volume, sync);
  const { because } = released;
  const { phase, persistentVolumeReclaimPolicy: policy } = volume.facts ?? {};
  // It is Released before anything else is done about it; that is seen, and it is processed again.
  if (phase !== 'Released' && phase !== 'Failed')
    return [
      patching(persistentVolumeReclaim.id, volume, {
        ...sync,
        because,
        patch: phaseOf('Released'),
        rule: 'PV-2',
      }),
    ];
  const isHeld = volume.finalizers.includes(keptForDeletion);
  if (policy !== 'Delete' || !isHeld || deleterOf(volume).by !== 'controller-manager')
    return reclaim(view, volume, sync);
  const why = `${because}; what backs it is removed, so ${keptForDeletion} is removed`;
  const reason = { ...sync, because: why, rule: 'PV-7' };
  return [removingFinalizer(persistentVolumeReclaim.id, volume, keptForDeletion, reason)];
}

/** Made for one claim, and not bound to it yet (PV-1): once it is bound, it is deleted with the claim. */
function isReserved({ facts = {} }: ObjectRecord): boolean {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = facts;
  return claimRef !== undefined && claimRef.uid === undefined && policy === 'Delete';
}

/** Binding is not simulated: whether it was before the claim was deleted is left open. */
function perhapsBound(volume: ObjectRecord, { view, now }: SyncInput): Decision[] {
  const { name = '', namespace = '' } = volume.facts?.claimRef ?? {};
  if (view.at(persistentVolumeClaims, namespace, name)) return [];
  const because = `it is made for claim ${namespace}/${name}: if it is bound before that goes, it is deleted`;
  const times = { notBefore: now, notAfter: undefined };
  return [
    deletion(persistentVolumeReclaim.id, volume, {
      ...times,
      because,
      confidence: 'unknown',
      rule: 'PV-2',
    }),
  ];
}

/** A released volume whose reclaim policy is about to be applied. */
interface Reclaiming {
  readonly volume: ObjectRecord;
  /** Why it is released. */
  readonly released: string;
  readonly base: TimeRange & Pick<Decision, 'confidence'>;
  readonly minor: number;
}

function reclaim(view: ClusterView, volume: ObjectRecord, sync: TimeRange): Decision[] {
  const found = releasedBy(view, volume);
  const policy = volume.facts?.persistentVolumeReclaimPolicy;
  if (!found || isBlocked(volume, view.minor)) return [];
  const base = { ...sync, confidence: found.isCertain ? 'certain' : 'unknown' } as const;
  const reclaiming: Reclaiming = { volume, released: found.because, base, minor: view.minor };
  switch (policy) {
    case undefined:
      return [];
    case 'Retain': {
      const because = `${found.because}, and its reclaim policy is Retain: it is kept`;
      return releasedPhase(reclaiming, because);
    }
    case 'Recycle':
      return recycled(reclaiming);
    case 'Delete':
      return deletedVolume(reclaiming);
    default: {
      const because = `${found.because}, and its reclaim policy is ${unknownPolicy(policy)}`;
      return migratedTo(volume)
        ? releasedPhase(reclaiming, because)
        : failedPhase(reclaiming, because, 'PV-4');
    }
  }
}

function releasedPhase({ volume, base }: Reclaiming, because: string): Decision[] {
  const { phase } = volume.facts ?? {};
  if (phase === 'Released' || phase === 'Failed') return [];
  return [phaseWrite(volume, 'Released', { ...base, because, rule: 'PV-2' })];
}

function failedPhase({ volume, base }: Reclaiming, because: string, rule: string): Decision[] {
  if (volume.facts?.phase === 'Failed') return [];
  // The protection of one that is being deleted may go before a failure is noted, and it with that.
  const failing = isBeingDeleted(volume) ? { ...base, confidence: 'likely' as const } : base;
  return [phaseWrite(volume, 'Failed', { ...failing, because, rule })];
}

function recycled(reclaiming: Reclaiming): Decision[] {
  const { volume, released, base } = reclaiming;
  const { source = {} } = volume.facts ?? {};
  const because = `${released}, and its reclaim policy is Recycle`;
  if (migratedTo(volume)) return releasedPhase(reclaiming, because);
  if (!source.hostPath && !source.nfs) {
    return failedPhase(reclaiming, `${because}, which no plugin can do for it`, 'PV-4');
  }
  // A pod empties it first, on some Node.
  const why = `${because}: a pod empties it, if no pod uses it any more`;
  const end = { ...base, notAfter: undefined, confidence: 'likely' as const };
  return [phaseWrite(volume, 'Available', { ...end, because: why, rule: 'PV-4' })];
}

/** Its reclaim policy is Delete. */
function deletedVolume(reclaiming: Reclaiming): Decision[] {
  const { volume, released, base, minor } = reclaiming;
  const { phase, source = {} } = volume.facts ?? {};
  const deleter = deleterOf(volume);
  const because = `${released}, and its reclaim policy is Delete`;
  switch (deleter.by) {
    case 'controller-manager': {
      if (isBeingDeleted(volume)) {
        const noted = releasedPhase(reclaiming, `${because}, and it is being deleted`);
        return [...noted, ...withoutDeletionFinalizer(reclaiming, because)];
      }
      const why = `${because}: kube-controller-manager removes ${source.hostPath} on its own machine, then the volume`;
      const reason = { ...base, because: why, rule: 'PV-7' };
      return [deletion(persistentVolumeReclaim.id, volume, reason)];
    }
    case 'external': {
      // One that is being deleted waits for the finalizer of its provisioner, or that passes over it.
      if (isBeingDeleted(volume)) {
        const left = storageLeft(volume, minor);
        const why = left ?? `provisioner ${deleter.provisioner} removes its finalizer, if it runs`;
        return releasedPhase(reclaiming, `${because}; ${why}`);
      }
      // A provisioner waits for the phase; whether one runs is unknown.
      return [
        deletion(persistentVolumeReclaim.id, volume, {
          notBefore: base.notBefore,
          notAfter: undefined,
          confidence: phase === 'Failed' ? 'unknown' : 'likely',
          because: `${because}: provisioner ${deleter.provisioner} deletes it, if it runs`,
          rule: 'PV-10',
        }),
      ];
    }
    case 'none':
      return failedPhase(reclaiming, `${because}, but ${deleter.error}`, 'PV-6');
  }
}

/** Its other finalizers may keep a volume that is being deleted. */
function withoutDeletionFinalizer({ volume, base }: Reclaiming, because: string): Decision[] {
  if (!volume.finalizers.includes(keptForDeletion)) return [];
  const path = volume.facts?.source?.hostPath;
  const why = `${because}: kube-controller-manager removes ${path} on its own machine, then its finalizer`;
  const reason = { ...base, because: why, rule: 'PV-7' };
  return [removingFinalizer(persistentVolumeReclaim.id, volume, keptForDeletion, reason)];
}

function phaseWrite(
  volume: ObjectRecord,
  phase: string,
  reason: Omit<Parameters<typeof patching>[2], 'patch'>,
): Decision {
  return patching(persistentVolumeReclaim.id, volume, { ...reason, patch: phaseOf(phase) });
}

function phaseOf(phase: string): PatchRequest {
  return { subresource: 'status', body: { status: { phase } } };
}

const policies: readonly string[] = ['Retain', 'Recycle', 'Delete'];

/** The API server takes no other policy today; one that was stored before it refused them stays. */
export function isUnknownPolicy(policy: string | undefined): policy is string {
  return policy !== undefined && !policies.includes(policy);
}

export function unknownPolicy(policy: string): string {
  return `${policy}, which kube-controller-manager does not know`;
}

/** Released for good: retained on purpose, or without a controller that can delete it. */
function keptVolumes(view: ClusterView, volume: ObjectRecord): Leftover[] {
  const released = releasedBy(view, volume);
  const {
    persistentVolumeReclaimPolicy: policy,
    phase,
    lastPhaseTransitionTime,
  } = volume.facts ?? {};
  if (!released?.isCertain) return [];
  if (isBlocked(volume, view.minor) && phase === 'Bound') {
    const because = `${released.because}, but it is being deleted and its controller fails to add a finalizer to it, which is no longer allowed`;
    return [{ collector: persistentVolumeReclaim.id, object: volume, because, rule: 'PV-9' }];
  }
  if (isBeingDeleted(volume)) return [];
  const since = lastPhaseTransitionTime ? `, ${phase} since ${lastPhaseTransitionTime}` : '';
  if (policy === 'Retain') {
    const because = `${released.because}, and its reclaim policy is Retain${since}`;
    return [{ collector: persistentVolumeReclaim.id, object: volume, because, rule: 'PV-4' }];
  }
  if (isUnknownPolicy(policy)) {
    const because = `${released.because}, and its reclaim policy is ${unknownPolicy(policy)}${since}`;
    return [{ collector: persistentVolumeReclaim.id, object: volume, because, rule: 'PV-4' }];
  }
  const deleter = deleterOf(volume);
  if (policy !== 'Delete' || deleter.by !== 'none') return [];
  const because = `${released.because}, its reclaim policy is Delete, but ${deleter.error}${since}`;
  return [{ collector: persistentVolumeReclaim.id, object: volume, because, rule: 'PV-6' }];
}

/** The finalizer that protects a volume in use is removed once it is not (PV-11). */
function releaseVolume(volume: ObjectRecord, { view, now }: SyncInput): Decision[] {
  if (!waitsFor(volume, PV_PROTECTION) || !isUnbound(volume)) return [];
  const freed = takenOff(volume, PV_PROTECTION, 'it is not bound', 'PV-11', now);
  const left = storageLeft(volume, view.minor);
  return [left === undefined ? freed : { ...freed, because: `${freed.because}; ${left}` }];
}

/** The same of claims (PV-12). */
function releaseClaim(claim: ObjectRecord, { view, now, trigger }: SyncInput): Decision[] {
  if (!waitsFor(claim, PVC_PROTECTION) || isUsed(view, claim)) return [];
  const isCertain = view.covers('pods', claim.namespace, '');
  // In a play the finalizer stays: which Pods use the claim is unknown.
  if (trigger !== undefined && !isCertain) return [];
  const because = isCertain ? 'no pod uses it' : 'no pod that could be read uses it';
  const decision = takenOff(claim, PVC_PROTECTION, because, 'PV-12', now);
  return [isCertain ? decision : { ...decision, confidence: 'unknown' }];
}

/** Every volume has a phase: where there is none, it was not read. */
function isUnbound({ facts }: ObjectRecord): boolean {
  return facts?.phase !== undefined && facts.phase !== 'Bound';
}

function waitsFor(record: ObjectRecord, finalizer: string): boolean {
  return isBeingDeleted(record) && record.finalizers.includes(finalizer);
}

function takenOff(
  record: ObjectRecord,
  finalizer: string,
  why: string,
  rule: string,
  now: number,
): Decision {
  return removingFinalizer(persistentVolumeReclaim.id, record, finalizer, {
    ...nextSync(now),
    because: `it is being deleted and ${why}, so ${finalizer} is removed`,
    rule,
  });
}

/** A bound pod uses a claim whatever its phase; one without a Node never does (PV-12). */
function isUsed(view: ClusterView, claim: ObjectRecord): boolean {
  return podsUsing(view, claim).some((pod) => {
    const nodeName = nodeNameOf(pod);
    const volumes = volumesOf(pod);
    // What was not read may be a use.
    if (volumes === notRead) return true;
    if (nodeName === '') return false;
    return volumes.some(({ name, claimName, ephemeral }) => {
      if (claimName !== undefined) return claimName === claim.name;
      if (!ephemeral || `${pod.name}-${name}` !== claim.name) return false;
      const isEnding = isBeingDeleted(pod) && pod.deletionGracePeriodSeconds === 0;
      return controllerOf(claim)?.uid === pod.uid && !isEnding;
    });
  });
}

interface VolumeRelease {
  readonly because: string;
  readonly rule: string;
  readonly isCertain: boolean;
}

/** Was the claim deleted that a volume was bound to, or is it bound to another volume (PV-2, PV-3)? */
export function releasedBy(view: ClusterView, volume: ObjectRecord): VolumeRelease | undefined {
  const { claimRef } = volume.facts ?? {};
  if (!claimRef?.uid) return undefined;
  const { namespace = '', name, uid } = claimRef;
  const claim = view.at(persistentVolumeClaims, namespace, name);
  if (!claim) {
    const isCertain = view.covers(persistentVolumeClaims, namespace, name);
    const because = isCertain
      ? `its claim ${namespace}/${name} was deleted`
      : `its claim ${namespace}/${name} was not seen, and could not be read`;
    return { because, rule: 'PV-2', isCertain };
  }
  if (claim.uid !== uid) {
    const because = `its claim ${namespace}/${name} was deleted, and one with the same name created`;
    return { because, rule: 'PV-2', isCertain: true };
  }
  const boundTo = claim.facts?.volumeName;
  if (boundTo === undefined || boundTo === volume.name) return undefined;
  if (
    provisionerOf(volume) === undefined ||
    volume.facts?.persistentVolumeReclaimPolicy !== 'Delete'
  )
    return undefined;
  const because = `its claim ${namespace}/${name} is bound to ${boundTo}`;
  return { because, rule: 'PV-3', isCertain: true };
}

/**
 * Since when a volume is released, in the words of every command; undefined for a volume that may still be bound. The
 * phase shows what the volume controller saw.
 */
export function releaseInWords(
  view: ClusterView,
  volume: ObjectRecord,
  now: number,
): string | undefined {
  const released = releasedBy(view, volume);
  if (!released) return undefined;
  const {
    phase,
    persistentVolumeReclaimPolicy: policy,
    lastPhaseTransitionTime: since,
    claimRef,
  } = volume.facts ?? {};
  if (!released.isCertain && phase !== 'Released' && phase !== 'Failed') return undefined;
  const until = `${phase ?? 'Released'} for ${since === undefined ? 'an unknown time' : age(since, now)}`;
  const { namespace, name } = claimRef ?? {};
  const gone = released.isCertain
    ? released.because
    : `its claim ${namespace}/${name} was deleted, according to its phase`;
  return `${gone}; its reclaim policy is ${policy}, and it has been ${until}`;
}

import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { persistentVolumeClaims, persistentVolumes } from '../../kube/resources.ts';
import { age } from '../../kube/time.ts';
import { type Keys, ownName } from '../by-kind.ts';
import type { ClusterView } from '../cluster-view.ts';
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
  keys: { pods: claimNamesOf, [persistentVolumeClaims]: ownName },
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

function reclaim(view: ClusterView, volume: ObjectRecord, sync: TimeRange): Decision[] {
  const released = releasedBy(view, volume);
  const { persistentVolumeReclaimPolicy: policy, phase, source = {} } = volume.facts ?? {};
  if (!released || isBlocked(volume, view.minor)) return [];
  const confidence = released.isCertain ? 'certain' : 'unknown';
  const base: TimeRange & Pick<Decision, 'confidence'> = { ...sync, confidence };
  // The protection of one that is being deleted may go before a failure is noted, and it with that.
  const failing = isBeingDeleted(volume) ? { ...base, confidence: 'likely' as const } : base;
  const writes = (to: string, because: string, rule: string, times: typeof base = base) => [
    patching(persistentVolumeReclaim.id, volume, { ...times, patch: phaseOf(to), because, rule }),
  ];
  const isNoted = phase === 'Released' || phase === 'Failed';
  const noted = (because: string) => (isNoted ? [] : writes('Released', because, 'PV-2'));
  const fails = (because: string, rule: string) =>
    phase === 'Failed' ? [] : writes('Failed', because, rule, failing);
  if (policy === 'Retain') {
    return noted(`${released.because}, and its reclaim policy is Retain: it is kept`);
  }
  if (policy === 'Recycle') {
    const because = `${released.because}, and its reclaim policy is Recycle`;
    if (migratedTo(volume)) return noted(because);
    if (!source.hostPath && !source.nfs) {
      return fails(`${because}, which no plugin can do for it`, 'PV-4');
    }
    // A pod empties it first, on some Node.
    const end = { notBefore: sync.notBefore, notAfter: undefined, confidence: 'likely' as const };
    const why = `${because}: a pod empties it, if no pod uses it any more`;
    return writes('Available', why, 'PV-4', end);
  }
  if (policy === undefined) return [];
  if (policy !== 'Delete') {
    const because = `${released.because}, and its reclaim policy is ${unknownPolicy(policy)}`;
    return migratedTo(volume) ? noted(because) : fails(because, 'PV-4');
  }
  const deleter = deleterOf(volume);
  const because = `${released.because}, and its reclaim policy is Delete`;
  // Its other finalizers may keep a volume that is being deleted.
  const letGo = (reason: string): Decision[] => {
    if (!volume.finalizers.includes(keptForDeletion)) return [];
    const why = `${reason}: kube-controller-manager removes ${source.hostPath} on its own machine, then its finalizer`;
    const reclaimed = { ...base, because: why, rule: 'PV-7' };
    return [removingFinalizer(persistentVolumeReclaim.id, volume, keptForDeletion, reclaimed)];
  };
  switch (deleter.by) {
    case 'controller-manager':
      if (isBeingDeleted(volume))
        return [...noted(`${because}, and it is being deleted`), ...letGo(because)];
      return [
        deletion(persistentVolumeReclaim.id, volume, {
          ...base,
          because: `${because}: kube-controller-manager removes ${source.hostPath} on its own machine, then the volume`,
          rule: 'PV-7',
        }),
      ];
    case 'external': {
      const left = isBeingDeleted(volume) ? storageLeft(volume, view.minor) : undefined;
      if (left !== undefined) return noted(`${because}; ${left}`);
      // A provisioner waits for the phase; whether one runs is unknown.
      return [
        deletion(persistentVolumeReclaim.id, volume, {
          notBefore: sync.notBefore,
          notAfter: undefined,
          confidence: phase === 'Failed' ? 'unknown' : 'likely',
          because: `${because}: provisioner ${deleter.provisioner} deletes it, if it runs`,
          rule: 'PV-10',
        }),
      ];
    }
    case 'none':
      return fails(`${because}, but ${deleter.error}`, 'PV-6');
  }
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

const ofVolumes = 'kubernetes.io/pv-protection';
const ofClaims = 'kubernetes.io/pvc-protection';

/** The finalizer that protects a volume in use is removed once it is not (PV-11). */
function releaseVolume(volume: ObjectRecord, { view, now }: SyncInput): Decision[] {
  if (!waitsFor(volume, ofVolumes) || !isUnbound(volume)) return [];
  const freed = takenOff(volume, ofVolumes, 'it is not bound', 'PV-11', now);
  const left = storageLeft(volume, view.minor);
  return [left === undefined ? freed : { ...freed, because: `${freed.because}; ${left}` }];
}

/** The same of claims (PV-12). */
function releaseClaim(claim: ObjectRecord, { view, now, trigger }: SyncInput): Decision[] {
  if (!waitsFor(claim, ofClaims) || isUsed(view, claim)) return [];
  const isCertain = view.covers('pods', claim.namespace, '');
  // In a play the finalizer stays: which Pods use the claim is unknown.
  if (trigger !== undefined && !isCertain) return [];
  const because = isCertain ? 'no pod uses it' : 'no pod that could be read uses it';
  const decision = takenOff(claim, ofClaims, because, 'PV-12', now);
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
  return `${gone}; its reclaim policy is ${policy}, and it is ${until}`;
}

/**
 * What deletes a volume's backing storage: kube-controller-manager, an external provisioner, or
 * nothing.
 */
type Deleter =
  | { readonly by: 'controller-manager' }
  | { readonly by: 'external'; readonly provisioner: string }
  | { readonly by: 'none'; readonly error: string };

const inTree = 'kubernetes.io/';
/** Plugins that kube-controller-manager has; of them only hostPath deletes (PV-5). */
const withoutDelete = ['nfs', 'fc', 'iscsi', 'csi'] as const;
const notDeletable = 'no deletable volume plugin matched';

/** Mirrors findDeletablePlugin, pkg/controller/volume/persistentvolume/pv_controller.go (PV-5 to PV-7). */
export function deleterOf(volume: ObjectRecord): Deleter {
  const provisionedBy = provisionerOf(volume) ?? '';
  const driver = migratedTo(volume);
  const source = volume.facts?.source ?? {};
  if (driver) return { by: 'external', provisioner: driver };
  if (provisionedBy !== '' && provisionedBy !== `${inTree}host-path`) {
    if (!provisionedBy.startsWith(inTree)) return { by: 'external', provisioner: provisionedBy };
    const isPlugin = withoutDelete.some((kind) => provisionedBy === `${inTree}${kind}`);
    const error = isPlugin ? notDeletable : `no volume plugin matched name: ${provisionedBy}`;
    return { by: 'none', error };
  }
  if (driver !== undefined) return { by: 'external', provisioner: driver };
  if (source.csi !== undefined) return { by: 'external', provisioner: source.csi };
  if (source.hostPath !== undefined) {
    // Anywhere in the path (PV-7).
    if (/\/tmp\/.+/.test(source.hostPath)) return { by: 'controller-manager' };
    return {
      by: 'none',
      error: `host_path deleter only supports /tmp/.+ but received provided ${source.hostPath}`,
    };
  }
  const why = withoutDelete.some((kind) => source[kind])
    ? notDeletable
    : 'no volume plugin matched';
  const error = `error getting deleter volume plugin for volume "${volume.name}": ${why}`;
  return { by: 'none', error };
}

const ofProvisioner = 'external-provisioner.volume.kubernetes.io/finalizer';
/** The minor version since which HonorPVReclaimPolicy is on by default. */
const honorsPolicySince = 31;

/**
 * What a volume leaves behind that is deleted itself: its provisioner passes over one that is being deleted, unless it has set
 * its finalizer on it, as it does by HonorPVReclaimPolicy (shouldDelete, sig-storage-lib-external-provisioner controller.go).
 */
export function storageLeft(volume: ObjectRecord, minor: number): string | undefined {
  const deleter = deleterOf(volume);
  if (volume.facts?.persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  if (deleter.by !== 'external' || volume.finalizers.includes(ofProvisioner)) return undefined;
  const here = minor < honorsPolicySince ? `, and this is v1.${minor}` : '';
  return `what backs it stays: provisioner ${deleter.provisioner} passes over a volume that is being deleted without ${ofProvisioner} (set by default since v1.${honorsPolicySince}${here})`;
}

/** In-tree plugins whose work CSI drivers do, by their names. */
const drivers: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

const keptForDeletion = 'kubernetes.io/pv-controller';

function provisionerOf({ annotations }: ObjectRecord): string | undefined {
  return annotations?.['pv.kubernetes.io/provisioned-by'];
}

/**
 * The driver that handles a volume, after the controller has corrected the record (PV-9): it sets missing entries, and
 * removes those of another driver, unless a user created the volume.
 */
function migratedTo(volume: ObjectRecord): string | undefined {
  const noted = volume.annotations?.['pv.kubernetes.io/migrated-to'];
  const provisioner = provisionerOf(volume);
  if (provisioner === undefined) return noted;
  return drivers.get(provisioner);
}

/**
 * Does the controller fail on this volume each time? First of all it adds its finalizer to volumes of
 * in-tree plugins, which the API server refuses for one that is being deleted (PV-9); by HonorPVReclaimPolicy.
 */
function isBlocked(volume: ObjectRecord, minor: number): boolean {
  const provisioner = provisionerOf(volume) ?? '';
  return (
    minor >= honorsPolicySince &&
    isBeingDeleted(volume) &&
    volume.facts?.persistentVolumeReclaimPolicy === 'Delete' &&
    provisioner.startsWith(inTree) &&
    !drivers.has(provisioner) &&
    !volume.finalizers.includes(keptForDeletion)
  );
}

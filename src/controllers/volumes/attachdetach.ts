import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf, nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { minute } from '../../kube/time.ts';
import {
  isOutOfService,
  isPodTerminal,
  isReady,
  volumeAttachments,
} from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision, SyncedController } from '../controller.ts';
import { deletion } from '../decision.ts';
import { podsUsing } from './pods-using.ts';

/** maxWaitForUnmountDuration of DefaultTimerConfig, pkg/controller/volume/attachdetach/attach_detach_controller.go. */
const longestUnmount = 6 * minute;

/**
 * Deletes VolumeAttachments of volumes that no pod on their Node uses any more (ATT-1 to ATT-3). The driver's
 * external-attacher detaches the volume, and removes its finalizer then. Mirrors reconcile,
 * pkg/controller/volume/attachdetach/reconciler/reconciler.go, and Detach, pkg/volume/csi/csi_attacher.go.
 */
export const attachDetach: SyncedController = {
  id: 'attachdetach',
  controllers: ['persistentvolume-attach-detach-controller'],
  reads: [volumeAttachments, 'nodes', 'persistentvolumes', 'pods'],
  syncers: [
    {
      runsAs: 'persistentvolume-attach-detach-controller',
      syncs: volumeAttachments,
      sync: (attachment, { view, settings, now }) => detach(view, attachment, settings, now),
      needsSync: ({ facts }) => facts?.attachment !== undefined,
      takesUntilLatest: true,
      keys: {
        [volumeAttachments]: ({ facts }) => [facts?.attachment?.nodeName ?? []].flat(),
        nodes: ({ name }) => [name],
        pods: (pod) => [knownNodeOf(pod) ?? []].flat(),
      },
      links: {
        [volumeAttachments](attachment, { view }) {
          const { persistentVolumeName: volume, nodeName } = attachment.facts?.attachment ?? {};
          if (volume === undefined) return [];
          const { claimRef } = view.at('persistentvolumes', '', volume)?.facts ?? {};
          if (!claimRef) return [volume];
          const { namespace = '', name } = claimRef;
          return [volume, useOn(nodeName, namespace, name)];
        },
        persistentvolumes: ({ name }) => [name],
        pods: (pod) =>
          knownClaimsOf(pod).map((name) => useOn(knownNodeOf(pod), pod.namespace, name)),
      },
    },
  ],
};

/** The name of the use of a claim on a Node. */
function useOn(node: string | undefined, namespace: string, claim: string): string {
  return `${namespace}/${claim} ${node ?? ''}`;
}

/** The name that the controller gives: a digest of volume, driver and Node (getAttachmentName, pkg/volume/csi/csi_attacher.go). */
export function isOwnName(name: string): boolean {
  return /^csi-[0-9a-f]{64}$/.test(name);
}

/** Does the controller look after it? By its name, and by its volume (processVolumeAttachments). */
export function isLookedAfter(view: ClusterView, { name, facts }: ObjectRecord): boolean {
  const volume = facts?.attachment?.persistentVolumeName;
  if (volume === undefined || !isOwnName(name)) return false;
  return (
    view.at('persistentvolumes', '', volume) !== undefined ||
    !view.covers('persistentvolumes', '', volume)
  );
}

function detach(
  view: ClusterView,
  attachment: ObjectRecord,
  { disableForceDetachOnTimeout }: ControllerSettings,
  now: number,
): Decision[] {
  const { nodeName, persistentVolumeName = '' } = attachment.facts?.attachment ?? {};
  if (nodeName === undefined || isBeingDeleted(attachment)) return [];
  if (!isLookedAfter(view, attachment)) return [];
  const volume = view.at('persistentvolumes', '', persistentVolumeName);
  const use = volume ? useOf(view, volume, nodeName) : 'unknown';
  if (use === 'used') return [];
  const node = view.at('nodes', '', nodeName);
  const unused = `no pod on Node ${nodeName} uses PersistentVolume ${persistentVolumeName}`;
  const decided = (rule: string, notAfter: number | undefined, more: string, isSure: boolean) => {
    const isKnown = use === 'unused' && (node || view.covers('nodes', '', nodeName));
    const because = isKnown
      ? `${unused}, ${more}`
      : `it goes if ${unused}, which was not fully read`;
    const confidence = isKnown ? (isSure ? 'certain' : 'likely') : 'unknown';
    return [
      deletion(attachDetach.id, attachment, {
        because,
        confidence,
        rule,
        notBefore: now,
        notAfter,
      }),
    ];
  };
  if (node && isOutOfService(node)) {
    return decided('ATT-3', now, 'and the Node is tainted as out of service', true);
  }
  if (node && isReady(node)) {
    return decided('ATT-1', undefined, 'and the kubelet reports when it is unmounted', false);
  }
  // nodeDelete forgets what the kubelet has reported since v1.38.
  if (!node && view.minor >= 38) return decided('ATT-2', now, 'and the Node does not exist', true);
  const state = node ? 'is not ready' : 'does not exist';
  if (disableForceDetachOnTimeout) {
    const more = `but the Node ${state}: if it reported the volume as mounted, it stays`;
    return decided('ATT-2', undefined, more, false);
  }
  return decided('ATT-2', now + longestUnmount, `and the Node ${state}`, true);
}

/** Is the volume to be on the Node for a pod? Mirrors ProcessPodVolumes, pkg/controller/volume/attachdetach/util/util.go. */
function useOf(view: ClusterView, { facts }: ObjectRecord, node: string) {
  if (facts === undefined) return 'unknown';
  const { namespace, name = '' } = facts.claimRef ?? {};
  if (namespace === undefined) return 'unused';
  const pods = podsUsing(view, { namespace, name }).filter((pod) => !hasLetVolumesGo(pod));
  const isUsed = pods.some((pod) => nodeNameOf(pod) === node && knownClaimsOf(pod).includes(name));
  if (isUsed) return 'used';
  const isRead =
    view.covers('pods', namespace, '') && pods.every((pod) => volumesOf(pod) !== notRead);
  return isRead ? 'unused' : 'unknown';
}

/** One that is being deleted uses its volumes until its containers have ended. Mirrors IsPodTerminated, pkg/volume/util/util.go. */
function hasLetVolumesGo(pod: ObjectRecord): boolean {
  if (isPodTerminal(pod)) return true;
  if (!isBeingDeleted(pod) || !pod.facts) return false;
  // Its kubelet has reported that, or will report it.
  if (pod.deletionGracePeriodSeconds === 0) return true;
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.facts;
  const all = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses];
  return all.every((statuses = []) => statuses.every(({ running }) => !running));
}

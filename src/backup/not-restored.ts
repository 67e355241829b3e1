import { groupResourceOf } from '../kube/resource-type.ts';
import { jsonOf } from '../snapshot/json-value.ts';
import type { SavedObject } from './saved-object.ts';

export interface RestoreOptions {
  /** Create Jobs and Pods that had finished, so that they run again. */
  readonly finished?: boolean;
  /** Create objects whose owners are all gone, without the references. */
  readonly withoutOwners?: boolean;
}

/** Why an object is not created although nothing is in its place. */
export interface NotRestored {
  readonly action: 'skip' | 'cannot';
  readonly because: string;
}

/** Kinds that some component writes by itself. */
const madeByThemselves: Readonly<Record<string, string>> = {
  events: 'events tell what happened, and are not worth restoring',
  'events.events.k8s.io': 'events tell what happened, and are not worth restoring',
  'leases.coordination.k8s.io': 'a lease is taken anew by whoever holds it',
  'csinodes.storage.k8s.io': 'the kubelet of its node writes it',
  'volumeattachments.storage.k8s.io': 'the attach-detach controller attaches what pods need',
  'ipaddresses.networking.k8s.io': 'the API server allocates addresses of Services itself',
  'resourceslices.resource.k8s.io': 'the driver on its node writes it',
};

const podControllers = new Set([
  'ReplicaSet apps',
  'StatefulSet apps',
  'DaemonSet apps',
  'Job batch',
  'ReplicationController ',
]);

/** What must not or cannot be created again, whatever its owners; undefined: nothing speaks against it. */
export function notRestoredKind(
  saved: SavedObject,
  options: RestoreOptions,
): NotRestored | undefined {
  const resource = groupResourceOf(saved.type);
  const made = madeByThemselves[resource];
  if (made !== undefined) return { action: 'skip', because: made };
  switch (resource) {
    case 'nodes':
      return {
        action: 'cannot',
        because: 'a Node is a machine: its kubelet registers it when it starts',
      };
    case 'pods':
      return notRestoredPod(saved, options);
    case 'jobs.batch':
      if (saved.phase === undefined || options.finished) return undefined;
      return {
        action: 'skip',
        because: `it had finished (${saved.phase}), and would run again; --finished creates it`,
      };
    case 'certificatesigningrequests.certificates.k8s.io':
      return { action: 'cannot', because: 'only whoever wants the certificate can ask for it' };
    case 'persistentvolumes':
      return notRestoredVolume(saved);
    case 'endpointslices.discovery.k8s.io':
    case 'endpoints':
      return /^endpointslice(mirroring)?-controller\.k8s\.io$|^endpoint-controller$/.test(
        managerOf(saved),
      )
        ? { action: 'skip', because: 'the controller of its Service makes it anew' }
        : undefined;
    case 'apiservices.apiregistration.k8s.io':
      return labelOf(saved, 'kube-aggregator.kubernetes.io/automanaged') === undefined
        ? undefined
        : { action: 'skip', because: 'the API server registers it itself' };
    default:
      return undefined;
  }
}

function notRestoredPod(saved: SavedObject, options: RestoreOptions): NotRestored | undefined {
  const annotations = jsonOf(saved.manifest?.metadata.annotations);
  if (annotations?.['kubernetes.io/config.mirror'] !== undefined) {
    return { action: 'skip', because: 'the kubelet of its node shows it for a static pod' };
  }
  const controller = saved.ownerReferences.find((reference) => reference.controller === true);
  if (controller) {
    const group = controller.apiVersion.includes('/') ? controller.apiVersion.split('/')[0] : '';
    if (podControllers.has(`${controller.kind} ${group}`)) {
      const because = `its ${controller.kind} ${controller.name} makes pods itself`;
      return { action: 'skip', because };
    }
  }
  const finished = saved.phase === 'Succeeded' || saved.phase === 'Failed';
  if (!finished || options.finished) return undefined;
  const because = `it had finished (${saved.phase}), and would run again; --finished creates it`;
  return { action: 'skip', because };
}

function notRestoredVolume({ manifest }: SavedObject): NotRestored | undefined {
  const spec = jsonOf(manifest?.spec);
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  return {
    action: 'cannot',
    because:
      'its reclaim policy is Delete: the storage behind it was removed with it, and the data is gone',
  };
}

function managerOf(saved: SavedObject): string {
  return String(
    labelOf(saved, 'endpointslice.kubernetes.io/managed-by') ??
      labelOf(saved, 'endpoints.kubernetes.io/managed-by') ??
      '',
  );
}

function labelOf({ manifest }: SavedObject, label: string): unknown {
  return jsonOf(manifest?.metadata.labels)?.[label];
}

import { automanaged } from '../../controllers/bookkeeping.ts';
import { fieldsOf, jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { inWords, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { OwnerLookup } from '../relink/owner-lookup.ts';
import { isTerminating, type LiveObjects } from './live-objects.ts';
import type { RestoreAction } from './restoration.ts';

export interface RestoreOptions {
  /** Create Jobs and Pods that had finished, so that they run again. */
  readonly finished?: boolean;
  /** Create objects whose owners are all gone, without the references. */
  readonly withoutOwners?: boolean;
}

/** Kinds that a component creates by itself. */
const madeByThemselves: Readonly<Record<string, string>> = {
  events: 'events report what happened, and are not worth restoring',
  'events.events.k8s.io': 'events report what happened, and are not worth restoring',
  'leases.coordination.k8s.io': 'the holder of a lease acquires it again',
  'csinodes.storage.k8s.io': 'the kubelet of its node writes it',
  'volumeattachments.storage.k8s.io': 'the attach-detach controller attaches what pods need',
  'ipaddresses.networking.k8s.io': 'the API server allocates addresses of Services itself',
  'resourceslices.resource.k8s.io': 'the driver on its node writes it',
};

const endpointControllers = /^endpointslice(mirroring)?-controller\.k8s\.io$|^endpoint-controller$/;

const podControllers = new Set([
  'ReplicaSet apps',
  'StatefulSet apps',
  'DaemonSet apps',
  'Job batch',
  'ReplicationController ',
]);

/** What must not or cannot be created again, whatever its owners; undefined: nothing prevents it. */
function notRestoredKind(saved: SavedObject, options: RestoreOptions): Decision | undefined {
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
      return saved.phase === undefined ? undefined : finished(saved, options);
    case 'certificatesigningrequests.certificates.k8s.io':
      return {
        action: 'cannot',
        because: 'only the client that wants the certificate can request it',
      };
    case 'persistentvolumes':
      return notRestoredVolume(saved);
    case 'endpointslices.discovery.k8s.io':
    case 'endpoints': {
      const manager =
        labelOf(saved, 'endpointslice.kubernetes.io/managed-by') ??
        labelOf(saved, 'endpoints.kubernetes.io/managed-by');
      return endpointControllers.test(textOrEmpty(manager))
        ? { action: 'skip', because: 'the controller of its Service creates it again' }
        : undefined;
    }
    case 'apiservices.apiregistration.k8s.io':
      return labelOf(saved, automanaged) === undefined
        ? undefined
        : { action: 'skip', because: 'the API server registers it itself' };
    default:
      return undefined;
  }
}

function notRestoredPod(saved: SavedObject, options: RestoreOptions): Decision | undefined {
  const annotations = jsonOf(saved.manifest?.metadata.annotations);
  if (annotations?.['kubernetes.io/config.mirror'] !== undefined) {
    return { action: 'skip', because: 'the kubelet of its node shows it for a static pod' };
  }
  const controller = saved.ownerReferences.find((reference) => reference.controller === true);
  if (controller) {
    const group = parseApiVersion(controller.apiVersion)?.group;
    if (podControllers.has(`${controller.kind} ${group}`)) {
      const because = `its ${controller.kind} ${controller.name} creates its pods itself`;
      return { action: 'skip', because };
    }
  }
  const isDone = saved.phase === 'Succeeded' || saved.phase === 'Failed';
  return isDone ? finished(saved, options) : undefined;
}

function finished({ phase }: SavedObject, options: RestoreOptions): Decision | undefined {
  const because = `it had finished (${phase}), and would run again; --finished creates it`;
  return options.finished ? undefined : { action: 'skip', because };
}

function notRestoredVolume({ manifest }: SavedObject): Decision | undefined {
  if (fieldsOf(manifest?.spec).persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  const because =
    'its reclaim policy is Delete: the storage behind it was removed with it, and the data is gone';
  return { action: 'cannot', because };
}

function labelOf({ manifest }: SavedObject, label: string): unknown {
  return jsonOf(manifest?.metadata.labels)?.[label];
}

export interface Decision {
  readonly action: RestoreAction;
  readonly because: string;
}

interface DecisionContext {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
  readonly options: RestoreOptions;
}

/** Whether an object can be created as far as it is only about itself: owners and namespaces come later. */
export function firstDecision(saved: SavedObject, context: DecisionContext): Decision {
  const { live, lookup, options } = context;
  const found = live.at(saved);
  if (found.found === 'object') {
    return isTerminating(found.manifest)
      ? { action: 'cannot', because: 'it is still being deleted: restore it when it is gone' }
      : { action: 'exists', because: 'it already exists' };
  }
  if (saved.fault !== undefined) return { action: 'cannot', because: saved.fault };
  if (saved.manifest === undefined) {
    const because = 'it was not deleted with the others, so the backup does not hold it';
    return { action: 'skip', because };
  }
  const { type } = saved;
  if (!lookup.typeOf(saved.manifest.apiVersion, type.kind)) {
    const because = `the server does not serve ${saved.manifest.apiVersion} ${type.kind}, and no definition of it was saved`;
    return { action: 'cannot', because };
  }
  if (found.found === 'unknown') {
    const because = `it is unknown whether it is there: ${found.message}`;
    return { action: 'cannot', because };
  }
  return (
    notRestoredKind(saved, options) ??
    claimedOtherwise(saved, context) ?? { action: 'create', because: 'it is not there' }
  );
}

/** A PersistentVolume whose claim has got another volume meanwhile. */
function claimedOtherwise(saved: SavedObject, { live, lookup }: DecisionContext) {
  const claim = claimOf(saved, lookup);
  if (!claim) return undefined;
  const found = live.at(claim);
  if (found.found !== 'object') return undefined;
  const volume = jsonOf(found.manifest.spec)?.volumeName;
  if (volume === undefined || volume === '' || volume === saved.name) return undefined;
  const because = `${inWords(claim)} uses the volume ${volume} now`;
  return { action: 'cannot', because } as const;
}

/** The claim that a PersistentVolume was bound to. */
export function claimOf(saved: SavedObject, lookup: OwnerLookup): ObjectLocation | undefined {
  if (groupResourceOf(saved.type) !== 'persistentvolumes') return undefined;
  const claimRef = jsonOf(jsonOf(saved.manifest?.spec)?.claimRef);
  const type = lookup.typeOf('v1', 'PersistentVolumeClaim');
  if (!claimRef || !type) return undefined;
  return { type, namespace: textOrEmpty(claimRef.namespace), name: textOrEmpty(claimRef.name) };
}

/** The volume that a PersistentVolumeClaim was bound to. */
export function volumeOf(saved: SavedObject, lookup: OwnerLookup): ObjectLocation | undefined {
  if (groupResourceOf(saved.type) !== 'persistentvolumeclaims') return undefined;
  const name = jsonOf(saved.manifest?.spec)?.volumeName;
  const type = lookup.typeOf('v1', 'PersistentVolume');
  return type && typeof name === 'string' && name !== ''
    ? { type, namespace: '', name }
    : undefined;
}

/** The ServiceAccount of a token: without it the token controller deletes the Secret. */
export function accountOf(saved: SavedObject, lookup: OwnerLookup): ObjectLocation | undefined {
  if (groupResourceOf(saved.type) !== 'secrets') return undefined;
  if (saved.manifest?.type !== 'kubernetes.io/service-account-token') return undefined;
  const annotations = jsonOf(saved.manifest.metadata.annotations);
  const name = annotations?.['kubernetes.io/service-account.name'];
  const type = lookup.typeOf('v1', 'ServiceAccount');
  return type && typeof name === 'string' ? { type, namespace: saved.namespace, name } : undefined;
}

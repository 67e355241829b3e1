import { automanaged } from '../../controllers/bookkeeping.ts';
import { fieldsOf, jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { inWords, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import { phaseOf, type SavedObject } from '../backup/saved-object.ts';
import type { OwnerLookup } from '../relink/relink.ts';
import { isTerminating, type LiveObjects } from './live-objects.ts';
import type { RestoreAction } from './restoration.ts';

export interface RestoreOptions {
  /** Create Jobs and Pods that had finished, so that they run again. */
  readonly finished?: boolean;
  /** Create objects whose owners are all gone, without the references. */
  readonly withoutOwners?: boolean;
}

export interface Decision {
  readonly action: RestoreAction;
  readonly because: string;
}

type Decide = (saved: SavedObject, options: RestoreOptions) => Decision | undefined;

const skip = (because: string): Decision => ({ action: 'skip', because });
const cannot = (because: string): Decision => ({ action: 'cannot', because });

const events = () => skip('events report what happened, and are not worth restoring');
const again = (saved: SavedObject) => {
  const manager =
    labelOf(saved, 'endpointslice.kubernetes.io/managed-by') ??
    labelOf(saved, 'endpoints.kubernetes.io/managed-by');
  return endpointControllers.test(textOrEmpty(manager))
    ? skip('the controller of its Service creates it again')
    : undefined;
};

/** What must not or cannot be created again, whatever its owners: by kind. */
const notRestoredKinds: Readonly<Record<string, Decide>> = {
  events,
  'events.events.k8s.io': events,
  'leases.coordination.k8s.io': () => skip('the holder of a lease acquires it again'),
  'csinodes.storage.k8s.io': () => skip('the kubelet of its node writes it'),
  'volumeattachments.storage.k8s.io': () =>
    skip('the attach-detach controller attaches what pods need'),
  'ipaddresses.networking.k8s.io': () =>
    skip('the API server allocates addresses of Services itself'),
  'resourceslices.resource.k8s.io': () => skip('the driver on its node writes it'),
  'endpointslices.discovery.k8s.io': again,
  endpoints: again,
  'apiservices.apiregistration.k8s.io': (saved) =>
    labelOf(saved, automanaged) === undefined
      ? undefined
      : skip('the API server registers it itself'),
  'certificatesigningrequests.certificates.k8s.io': () =>
    cannot('only the client that wants the certificate can request it'),
  nodes: () => cannot('a Node is a machine: its kubelet registers it when it starts'),
  persistentvolumes: ({ manifest }) =>
    fieldsOf(manifest?.spec).persistentVolumeReclaimPolicy === 'Delete'
      ? cannot(
          'its reclaim policy is Delete: the storage behind it was removed with it, and the data is gone',
        )
      : undefined,
  'jobs.batch': (saved, options) =>
    saved.phase === undefined ? undefined : finished(saved, options),
  pods: notRestoredPod,
};

/** Does no restore create it again, whatever becomes of its owners? */
export function isNeverRestored(type: ResourceType, manifest: KubeObject): boolean {
  const saved = {
    ...recordOf(manifest, type),
    phase: phaseOf(manifest),
    manifest,
    fault: undefined,
  };
  return notRestoredKinds[groupResourceOf(type)]?.(saved, { finished: true }) !== undefined;
}

const endpointControllers = /^endpointslice(mirroring)?-controller\.k8s\.io$|^endpoint-controller$/;

const podControllers = new Set([
  'ReplicaSet apps',
  'StatefulSet apps',
  'DaemonSet apps',
  'Job batch',
  'ReplicationController ',
]);

function notRestoredPod(saved: SavedObject, options: RestoreOptions): Decision | undefined {
  const annotations = jsonOf(saved.manifest?.metadata.annotations);
  if (annotations?.['kubernetes.io/config.mirror'] !== undefined) {
    return skip('the kubelet of its node shows it for a static pod');
  }
  const controller = saved.ownerReferences.find((reference) => reference.controller === true);
  if (controller) {
    const group = parseApiVersion(controller.apiVersion)?.group;
    if (podControllers.has(`${controller.kind} ${group}`)) {
      return skip(`its ${controller.kind} ${controller.name} creates its pods itself`);
    }
  }
  const isDone = saved.phase === 'Succeeded' || saved.phase === 'Failed';
  return isDone ? finished(saved, options) : undefined;
}

function finished({ phase }: SavedObject, options: RestoreOptions): Decision | undefined {
  if (options.finished) return undefined;
  return skip(`it had finished (${phase}), and would run again; --finished creates it`);
}

function labelOf({ manifest }: SavedObject, label: string): unknown {
  return jsonOf(manifest?.metadata.labels)?.[label];
}

interface DecisionContext extends RestoreOptions {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
}

/** Whether an object can be created as far as it is only about itself: owners and namespaces come later. */
export function firstDecision(saved: SavedObject, context: DecisionContext): Decision {
  const { live, lookup } = context;
  const found = live.at(saved);
  if (found.found === 'object') {
    return isTerminating(found.manifest)
      ? cannot('it is still being deleted: restore it when it is gone')
      : { action: 'exists', because: 'it already exists' };
  }
  const { type, fault, manifest } = saved;
  if (fault !== undefined) return cannot(fault);
  if (manifest === undefined) {
    return skip('it was not deleted with the others, so the backup does not hold it');
  }
  const { apiVersion } = manifest;
  if (!lookup.typeOf(apiVersion, type.kind)) {
    return cannot(
      `the server does not serve ${apiVersion} ${type.kind}, and no definition of it was saved`,
    );
  }
  if (found.found === 'unknown') {
    return cannot(`it is unknown whether it is there: ${found.message}`);
  }
  return (
    notRestoredKinds[groupResourceOf(type)]?.(saved, context) ??
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
  return cannot(`${inWords(claim)} uses the volume ${volume} now`);
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

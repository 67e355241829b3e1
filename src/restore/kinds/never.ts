import { automanaged } from '../../controllers/bookkeeping.ts';
import { fieldsOf, jsonOf, textOrEmpty } from '../../kube/json-value.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { cannot, type NotRestored, type RestoreOptions, skip } from './restored-kind.ts';

const endpointControllers = /^endpointslice(mirroring)?-controller\.k8s\.io$|^endpoint-controller$/;

/** Endpoints and EndpointSlices. */
export function ofServiceController(saved: SavedObject): NotRestored | undefined {
  const manager =
    labelOf(saved, 'endpointslice.kubernetes.io/managed-by') ??
    labelOf(saved, 'endpoints.kubernetes.io/managed-by');
  return endpointControllers.test(textOrEmpty(manager))
    ? skip('the controller of its Service creates it again')
    : undefined;
}

/** An APIService. */
export function ofAggregator(saved: SavedObject): NotRestored | undefined {
  return labelOf(saved, automanaged) === undefined
    ? undefined
    : skip('the API server registers it itself');
}

const podControllers = new Set([
  'ReplicaSet apps',
  'StatefulSet apps',
  'DaemonSet apps',
  'Job batch',
  'ReplicationController ',
]);

export function ofPodController(
  saved: SavedObject,
  options: RestoreOptions,
): NotRestored | undefined {
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

export function finishedJob(saved: SavedObject, options: RestoreOptions): NotRestored | undefined {
  return saved.phase === undefined ? undefined : finished(saved, options);
}

function finished({ phase }: SavedObject, options: RestoreOptions): NotRestored | undefined {
  if (options.finished) return undefined;
  return skip(`it had finished (${phase}), and would run again; --finished creates it`);
}

/** Removed by the plugin for their kind also where they were not provisioned dynamically (findDeletablePlugin, pv_controller.go). */
const deletableSources = [
  ...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cinder', 'gcePersistentDisk', 'hostPath'],
  ...['portworxVolume', 'vsphereVolume'],
];

/** A PersistentVolume: only one that was released can have lost its storage, to the program that provisioned it. */
export function ofRemovedStorage({ manifest, phase }: SavedObject): NotRestored | undefined {
  const spec = fieldsOf(manifest?.spec);
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  const wasBound = phase === undefined ? spec.claimRef !== undefined : !unbound.has(phase);
  const annotations = fieldsOf(manifest?.metadata.annotations);
  const isRemoved =
    annotations['pv.kubernetes.io/provisioned-by'] !== undefined ||
    deletableSources.some((source) => spec[source] !== undefined);
  if (!wasBound || !isRemoved) return undefined;
  return cannot(
    'its reclaim policy is Delete: its backing storage and the data were deleted with it',
  );
}

const unbound: ReadonlySet<string> = new Set(['Available', 'Pending']);

function labelOf({ manifest }: SavedObject, label: string): unknown {
  return jsonOf(manifest?.metadata.labels)?.[label];
}

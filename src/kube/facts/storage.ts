import { plainSelector } from '../label-selector.ts';
import { commonConditions } from './condition.ts';
import { noTaints, taint, taints } from './node.ts';
import { tolerations } from './pod.ts';
import {
  at,
  type Field,
  isSet,
  type KeptBy,
  list,
  nonZero,
  object,
  objectAt,
  objects,
  objectsAt,
  optionalBool,
  partialReference,
  text,
  time,
  trueOnly,
  within,
} from './shape.ts';

/** In-tree plugins of which only is kept that a volume is of them, by their field number. */
const plugins = {
  awsElasticBlockStore: '2',
  azureDisk: '16',
  azureFile: '13',
  cephfs: '9',
  cinder: '8',
  fc: '10',
  flexVolume: '12',
  flocker: '11',
  gcePersistentDisk: '1',
  glusterfs: '4',
  iscsi: '7',
  local: '20',
  nfs: '5',
  photonPersistentDisk: '17',
  portworxVolume: '18',
  quobyte: '15',
  rbd: '6',
  scaleIO: '19',
  storageos: '21',
  vsphereVolume: '14',
};

/** What backs a PersistentVolume: one of these is set. */
const volumeSource = object(
  {
    /** The driver's name. */
    csi: at('csi.driver', '22.1', text),
    /** The path on the node. */
    hostPath: at('hostPath.path', '3.1', text),
    ...(Object.fromEntries(
      Object.entries(plugins).map(([name, number]) => [name, at(name, number, isSet)]),
    ) as Readonly<Record<keyof typeof plugins, Field<boolean>>>),
  },
  (source) => Object.keys(source).length > 0,
);

export const persistentVolumeFields = {
  claimRef: at('spec.claimRef', '2.4', partialReference),
  persistentVolumeReclaimPolicy: at('spec.persistentVolumeReclaimPolicy', '2.5', text),
  storageClassName: at('spec.storageClassName', '2.6', text),
  volumeAttributesClassName: at('spec.volumeAttributesClassName', '2.10', text),
  // JSON has the source among the other fields of the spec.
  source: at('spec', '2.2', volumeSource),
  phase: at('status.phase', '3.1', text),
  /** Why it is Failed. */
  message: at('status.message', '3.2', text),
  lastPhaseTransitionTime: at('status.lastPhaseTransitionTime', '3.4', time),
};

export const persistentVolumeClaimFields = {
  accessModes: at('spec.accessModes', '2.1', list(text)),
  volumeName: at('spec.volumeName', '2.3', text),
  storageClassName: at('spec.storageClassName', '2.5', text),
  volumeAttributesClassName: at('spec.volumeAttributesClassName', '2.9', text),
  phase: at('status.phase', '3.1', text),
  conditions: at('status.conditions', '3.4', commonConditions),
  currentVolumeAttributesClassName: at('status.currentVolumeAttributesClassName', '3.8', text),
  targetVolumeAttributesClassName: at(
    'status.modifyVolumeStatus.targetVolumeAttributesClassName',
    '3.9.1',
    text,
  ),
};

const driverError = object({
  time: at('time', '1', time),
  message: at('message', '2', text, ''),
});

export const volumeAttachmentFields = {
  attachment: objectAt('spec', '2', {
    attacher: at('attacher', '1', text),
    nodeName: at('nodeName', '3', text),
    persistentVolumeName: at('source.persistentVolumeName', '2.1', text),
  }),
  attached: at('status.attached', '3.1', trueOnly),
  /** Why the driver could not detach the volume when it last tried. */
  driverError: at('status.detachError', '3.4', driverError),
};

/** Servers send these as JSON alone, so that they have no field numbers. */
export const snapshotFields = {
  boundContent: at('status.boundVolumeSnapshotContentName', '1', text),
  /** Why the driver could not take or delete the snapshot when it last tried. */
  driverError: at('status.error', '1', driverError),
};

export const csiNodeFields = {
  /** Names of the drivers installed on the node. */
  csiDrivers: at('spec.drivers', '2.1', list(within('name', '1', text))),
};

const consumers = objects({
  apiGroup: at('apiGroup', '1', text),
  resource: at('resource', '3', text, ''),
  name: at('name', '4', text, ''),
  uid: at('uid', '5', text, ''),
});

/** Mostly a Pod: resource `pods` of no API group. */
export type ClaimConsumer = KeptBy<typeof consumers>;

const allocatedDevices = objects({
  driver: at('driver', '2', text, ''),
  pool: at('pool', '3', text, ''),
  device: at('device', '4', text, ''),
  tolerations: at('tolerations', '6', tolerations),
});
export type AllocatedDevice = KeptBy<typeof allocatedDevices>;

/** Devices of a driver; of those only the tainted ones are kept. */
const taintedDevices = objects(
  { name: at('name', '1', text, ''), taints: at('taints', '8', taints, noTaints) },
  (device) => 'taints' in device && device.taints !== noTaints,
);

export const resourceSliceFields = {
  devicePool: objectAt('spec', '2', {
    driver: at('driver', '1', text, ''),
    pool: at('pool.name', '2.1', text, ''),
    generation: at('pool.generation', '2.2', nonZero, 0),
    tainted: at('devices', '6', taintedDevices, []),
  }),
};

export const deviceTaintRuleFields = {
  deviceTaintRule: objectAt('spec', '2', {
    selector: objectAt('deviceSelector', '1', {
      driver: at('driver', '2', text),
      pool: at('pool', '3', text),
      device: at('device', '4', text),
    }),
    taint: at('taint', '2', taint),
  }),
};

export const resourceClaimFields = {
  devices: at('status.allocation.devices.results', '3.1.1.1', allocatedDevices),
  /** Is status.allocation set? */
  allocated: at('status.allocation', '3.1', isSet),
  reservedFor: at('status.reservedFor', '3.2', consumers),
};

/** Ranges of addresses, as in `10.0.0.0/16`. */
export const serviceCIDRFields = { cidrs: at('spec.cidrs', '2.1', list(text)) };

const parentReference = object({
  group: at('group', '1', text),
  resource: at('resource', '2', text),
  namespace: at('namespace', '3', text),
  name: at('name', '4', text, ''),
});
/** What an IPAddress is allocated for. */
export type ParentReference = KeptBy<typeof parentReference>;

export const ipAddressFields = { parentRef: at('spec.parentRef', '2.1', parentReference) };

export const serviceFields = {
  selector: at('spec.selector', '2.2', plainSelector),
  serviceType: at('spec.type', '2.4', text),
  /** Of one without, `None`. */
  clusterIPs: at('spec.clusterIPs', '2.18', list(text)),
  /** IPv4, IPv6. */
  ipFamilies: at('spec.ipFamilies', '2.19', list(text)),
};

export const endpointSliceFields = {
  addressType: at('addressType', '4', text),
  endpoints: objectsAt('endpoints', '2', {
    /** Undefined counts as ready. */
    ready: at('conditions.ready', '2.1', optionalBool),
    /** What it stands for, mostly a Pod. */
    targetRef: at('targetRef', '4', partialReference),
  }),
};

export const serviceAccountFields = {
  /** Names of the Secrets that were made for it. */
  secrets: at('secrets', '2', list(within('name', '3', text))),
  /** Names of Secrets that its Pods get. */
  imagePullSecrets: at('imagePullSecrets', '3', list(within('name', '1', text))),
};

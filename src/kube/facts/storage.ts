import { type Condition, commonConditions } from './condition.ts';
import {
  at,
  type FieldsOf,
  flag,
  list,
  object,
  type PartialReference,
  partialReference,
  presence,
  text,
  time,
  within,
} from './shape.ts';

/** What backs a PersistentVolume: one of these is set. */
interface VolumeSource {
  /** The driver's name. */
  readonly csi?: string;
  /** The path on the node. */
  readonly hostPath?: string;
  readonly awsElasticBlockStore?: boolean;
  readonly azureDisk?: boolean;
  readonly azureFile?: boolean;
  readonly cephfs?: boolean;
  readonly cinder?: boolean;
  readonly fc?: boolean;
  readonly flexVolume?: boolean;
  readonly flocker?: boolean;
  readonly gcePersistentDisk?: boolean;
  readonly glusterfs?: boolean;
  readonly iscsi?: boolean;
  readonly local?: boolean;
  readonly nfs?: boolean;
  readonly photonPersistentDisk?: boolean;
  readonly portworxVolume?: boolean;
  readonly quobyte?: boolean;
  readonly rbd?: boolean;
  readonly scaleIO?: boolean;
  readonly storageos?: boolean;
  readonly vsphereVolume?: boolean;
}

const volumeSource = object<VolumeSource>(
  {
    csi: at('csi.driver', '22.1', text),
    hostPath: at('hostPath.path', '3.1', text),
    awsElasticBlockStore: at('awsElasticBlockStore', '2', presence),
    azureDisk: at('azureDisk', '16', presence),
    azureFile: at('azureFile', '13', presence),
    cephfs: at('cephfs', '9', presence),
    cinder: at('cinder', '8', presence),
    fc: at('fc', '10', presence),
    flexVolume: at('flexVolume', '12', presence),
    flocker: at('flocker', '11', presence),
    gcePersistentDisk: at('gcePersistentDisk', '1', presence),
    glusterfs: at('glusterfs', '4', presence),
    iscsi: at('iscsi', '7', presence),
    local: at('local', '20', presence),
    nfs: at('nfs', '5', presence),
    photonPersistentDisk: at('photonPersistentDisk', '17', presence),
    portworxVolume: at('portworxVolume', '18', presence),
    quobyte: at('quobyte', '15', presence),
    rbd: at('rbd', '6', presence),
    scaleIO: at('scaleIO', '19', presence),
    storageos: at('storageos', '21', presence),
    vsphereVolume: at('vsphereVolume', '14', presence),
  },
  (source) => Object.keys(source).length > 0,
);

export interface PersistentVolumeFacts {
  readonly claimRef?: PartialReference;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  readonly source?: VolumeSource;
  /** status.phase. */
  readonly phase?: string;
  /** RFC 3339. */
  readonly lastPhaseTransitionTime?: string;
}

export interface PersistentVolumeClaimFacts {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  /** status.phase. */
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  readonly currentVolumeAttributesClassName?: string;
}

export interface VolumeAttachmentFacts {
  readonly attachment?: Attachment;
  readonly attached?: boolean;
}

interface Attachment {
  /** The driver. */
  readonly attacher?: string;
  readonly nodeName?: string;
  readonly persistentVolumeName?: string;
}

export interface CsiNodeFacts {
  /** Names of the drivers installed on the node. */
  readonly csiDrivers?: readonly string[];
}

export const persistentVolumeFields: FieldsOf<PersistentVolumeFacts> = {
  claimRef: at('spec.claimRef', '2.4', partialReference),
  persistentVolumeReclaimPolicy: at('spec.persistentVolumeReclaimPolicy', '2.5', text),
  storageClassName: at('spec.storageClassName', '2.6', text),
  volumeAttributesClassName: at('spec.volumeAttributesClassName', '2.10', text),
  // JSON has the source among the other fields of the spec.
  source: at('spec', '2.2', volumeSource),
  phase: at('status.phase', '3.1', text),
  lastPhaseTransitionTime: at('status.lastPhaseTransitionTime', '3.4', time),
};

export const persistentVolumeClaimFields: FieldsOf<PersistentVolumeClaimFacts> = {
  volumeName: at('spec.volumeName', '2.3', text),
  storageClassName: at('spec.storageClassName', '2.5', text),
  volumeAttributesClassName: at('spec.volumeAttributesClassName', '2.9', text),
  phase: at('status.phase', '3.1', text),
  conditions: at('status.conditions', '3.4', commonConditions),
  currentVolumeAttributesClassName: at('status.currentVolumeAttributesClassName', '3.8', text),
};

export const volumeAttachmentFields: FieldsOf<VolumeAttachmentFacts> = {
  attachment: at(
    'spec',
    '2',
    object<Attachment>({
      attacher: at('attacher', '1', text),
      nodeName: at('nodeName', '3', text),
      persistentVolumeName: at('source.persistentVolumeName', '2.1', text),
    }),
  ),
  attached: at('status.attached', '3.1', flag),
};

export const csiNodeFields: FieldsOf<CsiNodeFacts> = {
  csiDrivers: at('spec.drivers', '2.1', list(within('name', '1', text))),
};

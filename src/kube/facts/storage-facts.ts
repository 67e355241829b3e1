import { type Condition, commonConditions } from './condition.ts';
import { type ObjectReference, objectReference } from './object-reference.ts';
import { at, type FieldsOf, flag, list, object, text, time, within } from './shape.ts';
import { type VolumeSource, volumeSource } from './volume-source.ts';

export interface PersistentVolumeFacts {
  readonly claimRef?: ObjectReference;
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

export interface Attachment {
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
  claimRef: at('spec.claimRef', '2.4', objectReference),
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

import { type Condition, commonConditions } from './condition.ts';
import { at, type FieldsOf, integer, list, object, presence, text, time, within } from './shape.ts';

/** Of a container, what tells whose it is and which Secrets it reads. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  /** Secrets that single environment variables are taken from. */
  readonly env?: readonly string[];
  /** Secrets that are environment variables as a whole. */
  readonly envFrom?: readonly string[];
}

export const containers = list(
  object<Container>({
    name: at('name', '1', text, ''),
    image: at('image', '2', text),
    env: at('env', '7', list(within('valueFrom.secretKeyRef.name', '3.4.1.1', text))),
    envFrom: at('envFrom', '19', list(within('secretRef.name', '3.1.1', text))),
  }),
);

/** The fields of an ephemeral container are numbered within another message. */
const ephemeralContainers = list(
  object<Container>({
    name: at('name', '1.1', text, ''),
    image: at('image', '1.2', text),
    env: at('env', '1.7', list(within('valueFrom.secretKeyRef.name', '3.4.1.1', text))),
    envFrom: at('envFrom', '1.19', list(within('secretRef.name', '3.1.1', text))),
  }),
);

/** A volume of a pod that is a claim or holds a Secret; those of other sources are left out. */
export interface PodVolume {
  readonly name: string;
  /** The PersistentVolumeClaim that it mounts. */
  readonly claimName?: string;
  /** Generic ephemeral: its claim is named `<pod>-<volume>` (EPH-1). */
  readonly ephemeral?: boolean;
  /** The Secret that it holds. */
  readonly secretName?: string;
  /** Secrets among the sources of a projected volume. */
  readonly projectedSecrets?: readonly string[];
  /** The Secrets that the drivers of other sources read. */
  readonly azureFileSecret?: string;
  readonly cephfsSecret?: string;
  readonly cinderSecret?: string;
  readonly csiSecret?: string;
  readonly flexVolumeSecret?: string;
  readonly iscsiSecret?: string;
  readonly rbdSecret?: string;
  readonly scaleIOSecret?: string;
  readonly storageosSecret?: string;
}

const podVolumes = list(
  object<PodVolume>(
    {
      name: at('name', '1', text, ''),
      claimName: at('persistentVolumeClaim.claimName', '2.10.1', text),
      ephemeral: at('ephemeral', '2.29', presence),
      secretName: at('secret.secretName', '2.6.1', text),
      projectedSecrets: at(
        'projected.sources',
        '2.26.1',
        list(within('secret.name', '1.1.1', text)),
      ),
      azureFileSecret: at('azureFile.secretName', '2.18.1', text),
      cephfsSecret: at('cephfs.secretRef.name', '2.14.5.1', text),
      cinderSecret: at('cinder.secretRef.name', '2.13.4.1', text),
      csiSecret: at('csi.nodePublishSecretRef.name', '2.28.5.1', text),
      flexVolumeSecret: at('flexVolume.secretRef.name', '2.12.3.1', text),
      iscsiSecret: at('iscsi.secretRef.name', '2.8.10.1', text),
      rbdSecret: at('rbd.secretRef.name', '2.11.7.1', text),
      scaleIOSecret: at('scaleIO.secretRef.name', '2.25.3.1', text),
      storageosSecret: at('storageos.secretRef.name', '2.27.5.1', text),
    },
    (volume) => Object.keys(volume).length > 1,
  ),
);

export interface PodFacts {
  /** spec.nodeName, '' when unbound. */
  readonly nodeName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly serviceAccountName?: string;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly volumes?: readonly PodVolume[];
  /** Names of Secrets. */
  readonly imagePullSecrets?: readonly string[];
  readonly tolerations?: readonly Toleration[];
  readonly resourceClaims?: readonly PodResourceClaim[];
  /** status.phase. */
  readonly phase?: string;
  /** status.reason, `Evicted` among them. */
  readonly reason?: string;
  /** status.startTime, RFC 3339. */
  readonly startTime?: string;
  readonly conditions?: readonly Condition[];
  readonly resourceClaimStatuses?: readonly PodResourceClaim[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** A ResourceClaim of a pod, by its name in the pod. */
interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export const podFields: FieldsOf<PodFacts> = {
  nodeName: at('spec.nodeName', '2.10', text, ''),
  terminationGracePeriodSeconds: at('spec.terminationGracePeriodSeconds', '2.4', integer),
  serviceAccountName: at('spec.serviceAccountName', '2.8', text),
  containers: at('spec.containers', '2.2', containers),
  initContainers: at('spec.initContainers', '2.20', containers),
  ephemeralContainers: at('spec.ephemeralContainers', '2.34', ephemeralContainers),
  volumes: at('spec.volumes', '2.1', podVolumes),
  imagePullSecrets: at('spec.imagePullSecrets', '2.15', list(within('name', '1', text))),
  tolerations: at(
    'spec.tolerations',
    '2.22',
    list(
      object<Toleration>({
        key: at('key', '1', text),
        operator: at('operator', '2', text),
        value: at('value', '3', text),
        effect: at('effect', '4', text),
        tolerationSeconds: at('tolerationSeconds', '5', integer),
      }),
    ),
  ),
  resourceClaims: at(
    'spec.resourceClaims',
    '2.39',
    list(
      object<PodResourceClaim>({
        name: at('name', '1', text, ''),
        resourceClaimName: at('resourceClaimName', '3', text),
        resourceClaimTemplateName: at('resourceClaimTemplateName', '4', text),
      }),
    ),
  ),
  phase: at('status.phase', '3.1', text),
  reason: at('status.reason', '3.4', text),
  startTime: at('status.startTime', '3.7', time),
  conditions: at('status.conditions', '3.2', commonConditions),
  resourceClaimStatuses: at(
    'status.resourceClaimStatuses',
    '3.15',
    list(
      object<PodResourceClaim>({
        name: at('name', '1', text, ''),
        resourceClaimName: at('resourceClaimName', '2', text),
        resourceClaimTemplateName: at('resourceClaimTemplateName', '0', text),
      }),
    ),
  ),
};

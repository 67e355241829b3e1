import { type Condition, commonConditions } from './condition.ts';
import { type Container, containers, ephemeralContainers } from './container.ts';
import { type PodVolume, podVolumes } from './pod-volume.ts';
import { at, type FieldsOf, integer, list, object, text, time, within } from './shape.ts';

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
export interface PodResourceClaim {
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

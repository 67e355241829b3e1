import type { PodTemplate, PodVolume } from './facts/pod.ts';
import type { ObjectFacts, ObjectRecord } from './object-record.ts';
import { claimOf, type NotRead, notRead, volumesOf } from './pod-use.ts';
import { isPod } from './well-known-kinds.ts';

/** Kinds whose objects are listed as unused: Kubernetes deletes none of them for that. */
export type UsedKind =
  | 'PersistentVolumeClaim'
  | 'ConfigMap'
  | 'Secret'
  | 'ServiceAccount'
  | 'StorageClass'
  | 'PriorityClass'
  | 'RuntimeClass';

/** By resource, as in `storageclasses.storage.k8s.io`. */
export const usedKinds: Readonly<Record<string, UsedKind>> = {
  persistentvolumeclaims: 'PersistentVolumeClaim',
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  serviceaccounts: 'ServiceAccount',
  'storageclasses.storage.k8s.io': 'StorageClass',
  'priorityclasses.scheduling.k8s.io': 'PriorityClass',
  'runtimeclasses.node.k8s.io': 'RuntimeClass',
};

/** These are in no namespace. */
export const usedClasses: ReadonlySet<UsedKind> = new Set([
  'StorageClass',
  'PriorityClass',
  'RuntimeClass',
]);

/** Pods, and what makes them from a template. */
export const kindsOfPods: ReadonlySet<string> = new Set([
  'cronjobs.batch',
  'daemonsets.apps',
  'deployments.apps',
  'jobs.batch',
  'pods',
  'replicasets.apps',
  'replicationcontrollers',
  'statefulsets.apps',
]);

export interface UsedName {
  readonly kind: UsedKind;
  readonly name: string;
  /** As a volume; else the reference is of another sort. */
  readonly isMounted: boolean;
  /** Containers start also without it. */
  readonly isOptional?: boolean;
}

/** What a Pod, the template of a workload or a ServiceAccount refers to, as far as records keep it; nothing of other kinds. */
export function usedByPods(record: ObjectRecord): readonly UsedName[] | NotRead {
  const { facts, type } = record;
  if (isPod(record)) {
    const volumes = volumesOf(record);
    return volumes === notRead ? notRead : namesIn(record, { ...facts, volumes });
  }
  if (type.group === '' && type.kind === 'ServiceAccount') {
    const names = [...(facts?.secrets ?? []), ...(facts?.imagePullSecrets ?? [])];
    return names.map((name) => ({ kind: 'Secret', name, isMounted: false }));
  }
  const { podTemplate, containers, serviceAccountName, volumeClaimTemplates: claims } = facts ?? {};
  if (!podTemplate && !containers && !claims) return [];
  const own = {
    ...(containers && { containers }),
    ...(serviceAccountName && { serviceAccountName }),
    ...(claims && { claims }),
  };
  return namesIn(record, { ...own, ...podTemplate });
}

type Container = NonNullable<ObjectFacts['containers']>[number] &
  NonNullable<PodTemplate['containers']>[number];

interface PodSpec extends Partial<Omit<PodTemplate, 'containers' | 'initContainers'>> {
  readonly containers?: readonly Partial<Container>[];
  readonly initContainers?: readonly Partial<Container>[];
  readonly ephemeralContainers?: readonly Partial<Container>[];
  /** Templates of claims, of a StatefulSet. */
  readonly claims?: ObjectFacts['volumeClaimTemplates'];
}

function namesIn(record: ObjectRecord, spec: PodSpec): readonly UsedName[] {
  const { volumes = [], claims = [], imagePullSecrets = [] } = spec;
  const { containers = [], initContainers = [] } = spec;
  const all = [...containers, ...initContainers, ...(spec.ephemeralContainers ?? [])];
  const sources = all.flatMap(({ env = [], envFrom = [], variables = [], environments = [] }) => [
    ...env,
    ...envFrom,
    ...variables,
    ...environments,
  ]);
  const of = (kind: UsedKind, names: readonly (string | undefined)[], isMounted = false) =>
    names.flatMap((name) => (name === undefined ? [] : { kind, name, isMounted }));
  const sourced = (from: readonly ReferenceSource[], isMounted: boolean) =>
    from.flatMap((source) => namesOfSource(source, isMounted));
  const projected = volumes.flatMap((volume) => volume.projected ?? []);
  // A template has no name that its Pods' ephemeral claims could have.
  const claimsOf = (volume: PodVolume) =>
    isPod(record) ? claimOf(record, volume) : volume.claimName;
  return [
    ...of('PersistentVolumeClaim', volumes.map(claimsOf), true),
    ...sourced([...volumes, ...projected], true),
    ...of('Secret', volumes.flatMap(secretsOfDrivers), true),
    ...sourced(sources, false),
    ...of('Secret', imagePullSecrets),
    ...of('ServiceAccount', [spec.serviceAccountName]),
    ...of('PriorityClass', [spec.priorityClassName]),
    ...of('RuntimeClass', [spec.runtimeClassName]),
    ...of(
      'StorageClass',
      [...volumes, ...claims].map(({ storageClassName }) => storageClassName),
    ),
  ];
}

interface ReferenceSource {
  readonly configMapName?: string;
  readonly secretName?: string;
  readonly optionalConfigMap?: boolean;
  readonly optionalSecret?: boolean;
}

function namesOfSource(source: ReferenceSource, isMounted: boolean): UsedName[] {
  const { configMapName, secretName, optionalConfigMap, optionalSecret } = source;
  const named = (kind: UsedKind, name: string | undefined, isOptional = false): UsedName[] =>
    name === undefined ? [] : [{ kind, name, isMounted, ...(isOptional && { isOptional }) }];
  return [
    ...named('ConfigMap', configMapName, optionalConfigMap),
    ...named('Secret', secretName, optionalSecret),
  ];
}

/** The Secrets that the drivers of volumes read. */
function secretsOfDrivers(volume: PodVolume): (string | undefined)[] {
  return [
    volume.azureFileSecret,
    volume.cephfsSecret,
    volume.cinderSecret,
    volume.csiSecret,
    volume.flexVolumeSecret,
    volume.iscsiSecret,
    volume.rbdSecret,
    volume.scaleIOSecret,
    volume.storageosSecret,
  ];
}

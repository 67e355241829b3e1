import {
  fieldAt,
  fieldsListOf,
  fieldsOf,
  type Json,
  listAt,
  numberOf,
  textAt,
  textOf,
} from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';

/**
 * container: it cannot be created before. account: a controller deletes it without. data: a claim without which Pods would
 * start on an empty volume, or with another one. start: its Pods, or what it decides, wait for it. use: it does without, but is created after it.
 */
export type NeedRole = 'container' | 'account' | 'data' | 'start' | 'use';

/** Another object that a restored one needs. */
export interface Need {
  readonly at: ObjectLocation;
  readonly role: NeedRole;
}

/** What a manifest names; in its own namespace, where none is said and the kind has one. */
export interface NamedNeed {
  readonly role: NeedRole;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** None where no name is given. */
function namedNeeds(
  role: NeedRole,
  kind: string,
  name: unknown,
  apiVersion = 'v1',
): readonly NamedNeed[] {
  return typeof name === 'string' && name !== '' ? [{ role, apiVersion, kind, name }] : [];
}

const rbac = 'rbac.authorization.k8s.io/v1';

/** Without its ServiceAccount the token controller deletes a token. */
export function needsOfSecret({ type, metadata }: Json): readonly NamedNeed[] {
  if (type !== 'kubernetes.io/service-account-token') return [];
  const annotations = fieldsOf(fieldsOf(metadata).annotations);
  return namedNeeds('account', 'ServiceAccount', annotations['kubernetes.io/service-account.name']);
}

export function needsOfAccount({ secrets, imagePullSecrets }: Json): readonly NamedNeed[] {
  const both = [...fieldsListOf(secrets), ...fieldsListOf(imagePullSecrets)];
  return both.flatMap(({ name }) => namedNeeds('use', 'Secret', name));
}

export function needsOfClaim(manifest: Json): readonly NamedNeed[] {
  const { volumeName, storageClassName } = fieldsOf(manifest.spec);
  return [
    ...namedNeeds('use', 'PersistentVolume', volumeName),
    ...namedNeeds('use', 'StorageClass', storageClassName, 'storage.k8s.io/v1'),
  ];
}

/** Who may not give all permissions of a role may not bind it before it is there (BindingAuthorized, rbac/escalation_check.go). */
export function needsOfBinding(manifest: Json): readonly NamedNeed[] {
  const { kind, name } = fieldsOf(manifest.roleRef);
  return namedNeeds('use', textOf(kind) ?? '', name, rbac);
}

/** The Services through which webhooks are called. */
export function needsOfWebhooks({ webhooks }: Json): readonly NamedNeed[] {
  return fieldsListOf(webhooks).flatMap((webhook) => {
    const namespace = textAt(webhook, 'clientConfig.service.namespace');
    const services = namedNeeds('start', 'Service', fieldAt(webhook, 'clientConfig.service.name'));
    return services.map((service) => ({ ...service, namespace }));
  });
}

/** The claims of more replicas are not looked up. */
const mostReplicas = 1_000;

/** Its claims are made for each ordinal (getPersistentVolumeClaimName, stateful_set_utils.go). */
export function needsOfStatefulSet(manifest: Json): readonly NamedNeed[] {
  const start = numberOf(fieldAt(manifest, 'spec.ordinals.start')) ?? 0;
  const replicas = numberOf(fieldAt(manifest, 'spec.replicas')) ?? 1;
  const ordinals = Array.from({ length: Math.min(Math.max(replicas, 0), mostReplicas) });
  return [
    ...namedNeeds('use', 'Service', fieldAt(manifest, 'spec.serviceName')),
    ...claimPrefixes(manifest).flatMap((prefix) =>
      ordinals.flatMap((_, index) =>
        namedNeeds('data', 'PersistentVolumeClaim', `${prefix}${start + index}`),
      ),
    ),
  ];
}

/** Is it a claim of this StatefulSet, also of an ordinal above its replicas? */
export function isClaimOfSet(manifest: Json, claim: string): boolean {
  return claimPrefixes(manifest).some(
    (prefix) => claim.startsWith(prefix) && /^\d+$/.test(claim.slice(prefix.length)),
  );
}

function claimPrefixes(manifest: Json): string[] {
  const set = textAt(manifest, 'metadata.name');
  return listAt(manifest, 'spec.volumeClaimTemplates').map(
    (template) => `${textAt(template, 'metadata.name')}-${set}-`,
  );
}

const podSpecs = ['spec', 'spec.template.spec', 'spec.jobTemplate.spec.template.spec'];

/** What the Pods of a workload name, whatever its kind: custom workloads have the same template. */
export function needsOfPods(manifest: Json): readonly NamedNeed[] {
  const specs = podSpecs.map((path) => fieldsOf(fieldAt(manifest, path)));
  return specs.filter(({ containers }) => Array.isArray(containers)).flatMap(needsOfPodSpec);
}

function needsOfPodSpec(spec: Json): readonly NamedNeed[] {
  const { serviceAccountName, serviceAccount, priorityClassName, runtimeClassName } = spec;
  const account = textOf(serviceAccountName) || textOf(serviceAccount) || 'default';
  const containers = [...fieldsListOf(spec.initContainers), ...fieldsListOf(spec.containers)];
  const resourceClaims = fieldsListOf(spec.resourceClaims);
  return [
    // Every namespace is given that one.
    ...namedNeeds(account === 'default' ? 'use' : 'start', 'ServiceAccount', account),
    ...fieldsListOf(spec.imagePullSecrets).flatMap(({ name }) =>
      namedNeeds('start', 'Secret', name),
    ),
    ...fieldsListOf(spec.volumes).flatMap(needsOfVolume),
    ...containers.flatMap(needsOfContainer),
    ...namedNeeds('use', 'PriorityClass', priorityClassName, 'scheduling.k8s.io/v1'),
    ...namedNeeds('use', 'RuntimeClass', runtimeClassName, 'node.k8s.io/v1'),
    ...resourceClaims.flatMap(({ resourceClaimName, resourceClaimTemplateName }) => [
      ...namedNeeds('start', 'ResourceClaim', resourceClaimName, 'resource.k8s.io/v1'),
      ...namedNeeds(
        'start',
        'ResourceClaimTemplate',
        resourceClaimTemplateName,
        'resource.k8s.io/v1',
      ),
    ]),
  ];
}

function needsOfContainer({ env, envFrom }: Json): readonly NamedNeed[] {
  const sources = [
    ...fieldsListOf(envFrom),
    ...fieldsListOf(env).map(({ valueFrom }) => fieldsOf(valueFrom)),
  ];
  return sources.flatMap(({ secretRef, secretKeyRef, configMapRef, configMapKeyRef }) => [
    ...needOf('Secret', secretRef ?? secretKeyRef),
    ...needOf('ConfigMap', configMapRef ?? configMapKeyRef),
  ]);
}

/** Every source of a volume that needs a Secret names it in one of three ways. */
function needsOfVolume(volume: Json): readonly NamedNeed[] {
  const { persistentVolumeClaim, configMap, projected, name: _, ...others } = volume;
  const sources = fieldsListOf(fieldsOf(projected).sources);
  const secrets = Object.values(others).map(fieldsOf);
  return [
    ...namedNeeds('data', 'PersistentVolumeClaim', fieldsOf(persistentVolumeClaim).claimName),
    ...needOf('ConfigMap', configMap),
    ...sources.flatMap((source) => [
      ...needOf('Secret', source.secret),
      ...needOf('ConfigMap', source.configMap),
    ]),
    ...secrets.flatMap(({ secretName, secretRef, nodePublishSecretRef, optional }) => [
      ...needOf('Secret', { name: secretName, optional }),
      ...needOf('Secret', secretRef ?? nodePublishSecretRef),
    ]),
  ];
}

function needOf(kind: string, reference: unknown): readonly NamedNeed[] {
  const { name, optional } = fieldsOf(reference);
  return namedNeeds(optional === true ? 'use' : 'start', kind, name);
}

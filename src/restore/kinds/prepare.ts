import { fieldsListOf, fieldsOf, type Json, jsonOf, listOf } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { PreparedManifest } from './restored-kind.ts';

function as(manifest: KubeObject, ...notes: string[]): PreparedManifest {
  return { manifest, notes };
}

/** The API server gives a namespace its finalizer. */
export function prepareNamespace(manifest: KubeObject): PreparedManifest {
  return as({ ...manifest, spec: undefined });
}

/** The scheduler chooses a node again: the old one may be gone or full. */
export function preparePod(manifest: KubeObject): PreparedManifest {
  const spec = without(
    jsonOf(manifest.spec),
    'nodeName',
    'priority',
    'preemptionPolicy',
    'ephemeralContainers',
  );
  return as({ ...manifest, spec });
}

const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'];

/** Selector and labels contain the uid of the deleted Job; the API server makes new ones (generateSelector, registry/batch/job/strategy.go). */
export function prepareJob(manifest: KubeObject): PreparedManifest {
  const spec = fieldsOf(manifest.spec);
  if (spec.manualSelector === true) return as(manifest);
  const template = fieldsOf(spec.template);
  const podMetadata = fieldsOf(template.metadata);
  const labels = jsonOf(podMetadata.labels);
  return as({
    ...manifest,
    metadata: withLabels(manifest.metadata, ownLabels(jsonOf(manifest.metadata.labels), labels)),
    spec: {
      ...without(spec, 'selector'),
      template: {
        ...template,
        metadata: withLabels(podMetadata, without(labels, ...uidLabels, ...nameLabels)),
      },
    },
  });
}

/** A Job without labels shows those of its pods (SetDefaults_Job, apis/batch/v1/defaults.go). */
function ownLabels(labels: Json | undefined, ofPods: Json | undefined): Json | undefined {
  const isShown = uidLabels.some((name) => labels?.[name] !== undefined);
  const isOfPods = JSON.stringify(labels) === JSON.stringify(ofPods);
  return isShown && isOfPods ? undefined : without(labels, ...uidLabels);
}

function withLabels<T extends Json>(metadata: T, labels: Json | undefined): T {
  return { ...metadata, labels };
}

/** The token names the uid of the deleted ServiceAccount, so the API server refuses it. */
export function prepareSecret(manifest: KubeObject): PreparedManifest {
  if (manifest.type !== 'kubernetes.io/service-account-token') return as(manifest);
  return as(
    { ...withoutAnnotations(manifest, ['kubernetes.io/service-account.uid']), data: undefined },
    'it gets a new token: the ServiceAccount of the old token was deleted',
  );
}

/** Reserved for the claim of that name, whatever uid it has now. */
export function prepareVolume(manifest: KubeObject): PreparedManifest {
  const spec = fieldsOf(manifest.spec);
  const claimRef = jsonOf(spec.claimRef);
  if (!claimRef) return as(manifest);
  const reserved = without(claimRef, 'uid', 'resourceVersion');
  return as({ ...manifest, spec: { ...spec, claimRef: reserved } });
}

const bindings = ['pv.kubernetes.io/bind-completed', 'pv.kubernetes.io/bound-by-controller'];

/** A claim that says it was bound, to a volume that does not know its uid, would be marked as lost. */
export function prepareClaim(manifest: KubeObject): PreparedManifest {
  return as(withoutAnnotations(manifest, bindings));
}

/** A claim whose volume does not exist: as the user wrote it, so that a new volume is provisioned. */
export function withoutVolume(manifest: KubeObject): KubeObject {
  const left = withoutAnnotations(manifest, ['volume.kubernetes.io/selected-node']);
  return { ...left, spec: without(jsonOf(manifest.spec), 'volumeName') };
}

function withoutAnnotations(manifest: KubeObject, names: readonly string[]): KubeObject {
  const annotations = without(jsonOf(manifest.metadata.annotations), ...names);
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** A Service without the addresses and ports that it was given and another one may have now. */
export function withoutAllocations(manifest: KubeObject): KubeObject {
  const spec = fieldsOf(manifest.spec);
  const ports = listOf(spec.ports, (port) => without(jsonOf(port), 'nodePort'));
  const kept = without(withoutAddresses(spec), 'healthCheckNodePort');
  return { ...manifest, spec: { ...kept, ports } };
}

function withoutAddresses(spec: Json): Json {
  return spec.clusterIP === 'None' ? spec : (without(spec, 'clusterIP', 'clusterIPs') ?? {});
}

/** What the server says of addresses and ports that it cannot allocate (pkg/registry/core/service/storage/alloc.go). */
const refusedPort = /\bspec\.ports\[(\d+)\]\.nodePort: Invalid value\b/g;
const refusedAddress = /\bspec\.clusterIPs?(\[\d+\])?: Invalid value\b/;
const refusedFamily = /\bspec\.ipFamil(y|ies)[^:]*: Invalid value\b|\bIPv[46] is not configured\b/;
const refusedHealthCheck = /\bHealthCheck NodePort\b/;

/**
 * A Service without those of its addresses and ports that the server refused: they belong to another Service now, or this
 * cluster has other ranges or IP families. Undefined where it refused something else.
 */
export function withoutRefused(manifest: KubeObject, message: string): KubeObject | undefined {
  let spec = fieldsOf(manifest.spec);
  if (refusedFamily.test(message)) {
    spec = withoutAddresses(without(spec, 'ipFamilies', 'ipFamilyPolicy') ?? {});
  } else if (refusedAddress.test(message)) spec = withoutAddresses(spec);
  if (refusedHealthCheck.test(message)) spec = without(spec, 'healthCheckNodePort') ?? {};
  const refused = new Set([...message.matchAll(refusedPort)].map(([, index]) => Number(index)));
  const ports = fieldsListOf(spec.ports).map((port, index) =>
    refused.has(index) ? without(port, 'nodePort') : port,
  );
  const left = { ...spec, ...(refused.size > 0 && { ports }) };
  const isSame = JSON.stringify(left) === JSON.stringify(manifest.spec);
  return isSame ? undefined : { ...manifest, spec: left };
}

const ofDeployment = ['desired-replicas', 'max-replicas', 'revision', 'revision-history'].map(
  (name) => `deployment.kubernetes.io/${name}`,
);

/** A ReplicaSet without what the controller of its Deployment writes (SetNewReplicaSetAnnotations, deployment_util.go). */
export function withoutScale(manifest: KubeObject): KubeObject {
  const left = withoutAnnotations(manifest, ofDeployment);
  return { ...left, spec: without(jsonOf(manifest.spec), 'replicas') };
}

function without(fields: Json | undefined, ...names: readonly string[]): Json | undefined {
  if (!fields) return undefined;
  const left = { ...fields };
  for (const name of names) delete left[name];
  return left;
}

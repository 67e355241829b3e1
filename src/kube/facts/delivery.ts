import {
  at,
  type Field,
  integer,
  list,
  object,
  objects,
  type Shape,
  stringOrEmpty,
  text,
  trueOnly,
  within,
} from './shape.ts';

// What delivery tools write down of what they applied. All are custom resources: servers send those as JSON
// alone, so that none has field numbers.

function inJson<T>(path: string, shape: Shape<T>): Field<T> {
  return at(path, '1', shape);
}

function nameField<T>(path: string, shape: Shape<T>, fallback: NoInfer<T>) {
  return at(path, '1', shape, fallback);
}

/** `status.inventory.entries` of Flux: `NAMESPACE_NAME_GROUP_KIND`. */
const fluxEntries = objects({ id: nameField('id', text, '') });

/** Of another cluster: a Secret or a ConfigMap says which. */
const fluxKubeConfig = object({
  secretName: inJson('secretRef.name', text),
  configMapName: inJson('configMapRef.name', text),
});

const fluxFields = {
  suspend: inJson('spec.suspend', trueOnly),
  /** A duration of Go. */
  interval: inJson('spec.interval', text),
  kubeConfig: inJson('spec.kubeConfig', fluxKubeConfig),
  fluxEntries: inJson('status.inventory.entries', fluxEntries),
};

/** Of a release of Helm, a revision: its number is in the name of its Secret. */
const helmRevisions = objects({
  name: nameField('name', text, ''),
  version: inJson('version', integer),
});

export const helmReleaseFields = {
  ...fluxFields,
  helmRevisions: inJson('status.history', helmRevisions),
  /** Where its Secrets are. */
  storageNamespace: inJson('status.storageNamespace', text),
  keepHistory: inJson('spec.uninstall.keepHistory', trueOnly),
  /** `enabled`, `warn` or `disabled`. */
  driftDetectionMode: inJson('spec.driftDetection.mode', text),
};

export const kustomizationFields = {
  ...fluxFields,
  prune: inJson('spec.prune', trueOnly),
  deletionPolicy: inJson('spec.deletionPolicy', text),
};

/** The definitions that an operator brings, by name. */
export const clusterServiceVersionFields = {
  ownedDefinitions: inJson('spec.customresourcedefinitions.owned', list(within('name', '1', text))),
};

/** v1beta1 names the apiVersion, v1beta2 the group; the namespace is that of the Cluster. */
const clusterReference = object({
  apiGroup: inJson('apiGroup', text),
  apiVersion: inJson('apiVersion', text),
  kind: nameField('kind', text, ''),
  name: nameField('name', text, ''),
});

export const clusterFields = {
  paused: inJson('spec.paused', trueOnly),
  controlPlaneRef: inJson('spec.controlPlaneRef', clusterReference),
  infrastructureRef: inJson('spec.infrastructureRef', clusterReference),
};

const argoDestination = object({
  server: inJson('server', text),
  name: inJson('name', text),
});

/** `status.resources` of an Application. */
const argoResources = objects({
  group: nameField('group', stringOrEmpty, ''),
  kind: nameField('kind', text, ''),
  namespace: nameField('namespace', text, ''),
  name: nameField('name', text, ''),
});

export const applicationFields = {
  /** The AppProject that it belongs to. */
  project: inJson('spec.project', text),
  destination: inJson('spec.destination', argoDestination),
  automated: inJson(
    'spec.syncPolicy.automated',
    object({ selfHeal: inJson('selfHeal', trueOnly) }),
  ),
  argoResources: inJson('status.resources', argoResources),
};

/** An ACME challenge of cert-manager. */
export const challengeFields = {
  challengeType: inJson('spec.type', text),
  issuer: inJson(
    'spec.issuerRef',
    object({ kind: nameField('kind', text, 'Issuer'), name: nameField('name', text, '') }),
  ),
  /** Why it is not done. */
  message: inJson('status.reason', text),
};

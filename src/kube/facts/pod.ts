import { commonConditions } from './condition.ts';
import {
  at,
  type CompleteOf,
  type FactsOf,
  integer,
  isSet,
  type KeptBy,
  list,
  nonZero,
  object,
  objects,
  objectsAt,
  type Shape,
  seconds,
  text,
  textMatching,
  time,
  trueOnly,
  uniqueString,
  within,
} from './shape.ts';

const isAnySet = (value: object) => Object.keys(value).length > 0;

/** Containers start also without what a reference names that is optional. */
const optionalVariables = {
  optionalConfigMap: at('valueFrom.configMapKeyRef.optional', '3.3.3', trueOnly),
  optionalSecret: at('valueFrom.secretKeyRef.optional', '3.4.3', trueOnly),
};

const variableSources = objects(
  {
    configMapName: at('valueFrom.configMapKeyRef.name', '3.3.1.1', text),
    secretName: at('valueFrom.secretKeyRef.name', '3.4.1.1', text),
    ...optionalVariables,
  },
  isAnySet,
);

const environmentSources = objects(
  {
    configMapName: at('configMapRef.name', '2.1.1', text),
    secretName: at('secretRef.name', '3.1.1', text),
    optionalConfigMap: at('configMapRef.optional', '2.2', trueOnly),
    optionalSecret: at('secretRef.optional', '3.2', trueOnly),
  },
  isAnySet,
);

/** The fields of a container that show its program, and the Secrets and ConfigMaps that it reads. */
const containers = containersAt('');

/** The fields of an ephemeral container are numbered within another message. */
const ephemeralContainers = containersAt('1.');

function containersAt(message: string): Shape<readonly Container[]> {
  return objects({ ...programFields(message), ...sourceFields(message) });
}

/** What the environment of a container is taken from: single variables, and whole objects. */
function sourceFields(message: string) {
  return {
    env: at('env', `${message}7`, variableSources),
    envFrom: at('envFrom', `${message}19`, environmentSources),
  };
}

function programFields(message: string) {
  return {
    name: at('name', `${message}1`, text, ''),
    image: at('image', `${message}2`, text),
    /** `Always` makes a sidecar of an init container. */
    restartPolicy: at('restartPolicy', `${message}24`, text),
  };
}

const variables = objects(
  {
    name: at('name', '1', text, ''),
    value: at('value', '2', uniqueString),
    fieldPath: at('valueFrom.fieldRef.fieldPath', '3.1.2', text),
    configMapName: at('valueFrom.configMapKeyRef.name', '3.3.1.1', text),
    configMapKey: at('valueFrom.configMapKeyRef.key', '3.3.2', text),
    secretName: at('valueFrom.secretKeyRef.name', '3.4.1.1', text),
    ...optionalVariables,
  },
  (variable) =>
    'secretName' in variable ||
    'configMapName' in variable ||
    ('fieldPath' in variable && variable.fieldPath === 'metadata.namespace') ||
    ('name' in variable && namespaceVariable.test(String(variable.name))),
);
export type ContainerVariable = KeptBy<typeof variables>;

/** Of the command line and the environment, no more is kept: passwords stand there, too. */
export const namespaceVariable = /^(WATCH|WATCHED|OPERATOR_WATCH|STRIMZI|ARGOCD_\w+)_NAMESPACES?$/;
export const namespaceArgument =
  /(?<![\w-])--?(?:namespaced|(?:(?:watch|watched|managed|application|applicationset|watch-all)-)?namespaces?)(?![\w-])(?:[= ][^\s"']+)?/;

const templateFields = {
  ...programFields(''),
  /** The arguments that name the namespaces which the program watches. */
  command: at('command', '3', list(textMatching(namespaceArgument))),
  args: at('args', '4', list(textMatching(namespaceArgument))),
  /** The variables that do so, those that are the namespace of the Pod, and those from Secrets and ConfigMaps. */
  variables: at('env', '7', variables),
  environments: at('envFrom', '19', environmentSources),
};

/** The containers of a template: of a workload, they also show which namespaces its program watches. */
export const templateContainers: Shape<readonly Container[]> = objects(templateFields);

type Container = CompleteOf<Pick<typeof templateFields, 'name'>> &
  FactsOf<Omit<typeof templateFields, 'name'>> & {
    readonly env?: readonly NamedSource[];
    readonly envFrom?: readonly NamedSource[];
  };

type NamedSource = KeptBy<typeof environmentSources>;

/** Every Pod with a token has the certificates of the cluster, which are recreated. */
const otherThanCertificates = /^(?!kube-root-ca\.crt$).+$/;

const projectedSources = objects(
  {
    secretName: at('secret.name', '1.1.1', text),
    configMapName: at('configMap.name', '3.1.1', textMatching(otherThanCertificates)),
    optionalConfigMap: at('configMap.optional', '3.4', trueOnly),
    optionalSecret: at('secret.optional', '1.4', trueOnly),
  },
  (source) => 'secretName' in source || 'configMapName' in source,
);

const podVolumes = objects(
  {
    name: at('name', '1', text, ''),
    /** The PersistentVolumeClaim that it mounts. */
    claimName: at('persistentVolumeClaim.claimName', '2.10.1', text),
    /** Generic ephemeral: its claim is named `<pod>-<volume>` (EPH-1). */
    ephemeral: at('ephemeral', '2.29', isSet),
    /** The class of that claim. */
    storageClassName: at('ephemeral.volumeClaimTemplate.spec.storageClassName', '2.29.1.2.5', text),
    /** The Secret that it mounts. */
    secretName: at('secret.secretName', '2.6.1', text),
    /** The ConfigMap that it mounts. */
    configMapName: at('configMap.name', '2.19.1.1', text),
    optionalConfigMap: at('configMap.optional', '2.19.4', trueOnly),
    optionalSecret: at('secret.optional', '2.6.4', trueOnly),
    /** Secrets and ConfigMaps among the sources of a projected volume. */
    projected: at('projected.sources', '2.26.1', projectedSources),
    // The Secrets that the drivers of other sources read.
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
);

/** A volume of a Pod that is a claim, a Secret or a ConfigMap; volumes of other sources are left out. */
export type PodVolume = KeptBy<typeof podVolumes>;

/** Of a pod, and of a claim for devices. */
export const tolerations = objects({
  key: at('key', '1', text),
  operator: at('operator', '2', text),
  value: at('value', '3', text),
  effect: at('effect', '4', text),
  tolerationSeconds: at('tolerationSeconds', '5', seconds),
});
export type Toleration = KeptBy<typeof tolerations>;

/** Whether a container is ready, what for it waits (`CrashLoopBackOff` among them), and how it has ended. */
const containerStatus = {
  name: at('name', '1', text),
  running: at('state.running', '2.2', isSet),
  ready: at('ready', '4', trueOnly),
  waitingReason: at('state.waiting.reason', '2.1.1', text),
  /** Set of every container that has ended. */
  exitCode: at('state.terminated.exitCode', '2.3.1', integer),
  signal: at('state.terminated.signal', '2.3.2', nonZero),
  endReason: at('state.terminated.reason', '2.3.3', text),
};
const containerStatuses = objects(containerStatus);
const initContainerStatuses = objects({
  ...containerStatus,
  name: at('name', '1', text, ''),
  started: at('started', '9', trueOnly),
});

/** How one container is, as the kubelet has reported it. */
export type ContainerStatus = KeptBy<typeof containerStatuses>;

/** ResourceClaims of a pod, by their names in the pod; spec and status number the fields differently. */
function podResourceClaims(claim: string, template: string) {
  return objects({
    name: at('name', '1', text, ''),
    resourceClaimName: at('resourceClaimName', claim, text),
    resourceClaimTemplateName: at('resourceClaimTemplateName', template, text),
  });
}

const nodeRequirements = objects({
  key: at('key', '1', text),
  operator: at('operator', '2', text),
  values: at('values', '3', list(text)),
});

export const podFields = {
  /** '' when unbound. */
  nodeName: at('spec.nodeName', '2.10', text, ''),
  /** Which Nodes its affinity names, as that of a DaemonSet's pod does. */
  affineNodes: at(
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
    '2.18.1.1.1',
    list(within('matchFields', '2', nodeRequirements)),
  ),
  terminationGracePeriodSeconds: at('spec.terminationGracePeriodSeconds', '2.4', seconds),
  serviceAccountName: at('spec.serviceAccountName', '2.8', text),
  containers: at('spec.containers', '2.2', containers),
  initContainers: at('spec.initContainers', '2.20', containers),
  ephemeralContainers: at('spec.ephemeralContainers', '2.34', ephemeralContainers),
  volumes: at('spec.volumes', '2.1', podVolumes),
  /** Names of Secrets. */
  imagePullSecrets: at('spec.imagePullSecrets', '2.15', list(within('name', '1', text))),
  priorityClassName: at('spec.priorityClassName', '2.24', text),
  runtimeClassName: at('spec.runtimeClassName', '2.29', text),
  tolerations: at('spec.tolerations', '2.22', tolerations),
  resourceClaims: at('spec.resourceClaims', '2.39', podResourceClaims('3', '4')),
  /** The PodGroup that it belongs to. */
  podGroupName: at('spec.schedulingGroup.podGroupName', '2.43.1', text),
  phase: at('status.phase', '3.1', text),
  /** `Evicted` among them. */
  reason: at('status.reason', '3.4', text),
  startTime: at('status.startTime', '3.7', time),
  conditions: at('status.conditions', '3.2', commonConditions),
  containerStatuses: at('status.containerStatuses', '3.8', containerStatuses),
  initContainerStatuses: at('status.initContainerStatuses', '3.10', initContainerStatuses),
  ephemeralContainerStatuses: objectsAt('status.ephemeralContainerStatuses', '3.13', {
    running: at('state.running', '2.2', isSet),
  }),
  resourceClaimStatuses: at('status.resourceClaimStatuses', '3.15', podResourceClaims('2', '0')),
  /** The ResourceClaim from which its extended resources are. */
  extendedResourceClaim: at('status.extendedResourceClaimStatus.resourceClaimName', '3.18.2', text),
};

/** What a template names beside its containers. */
const templateReferences = {
  initContainers: at('initContainers', '20', objects(sourceFields(''), isAnySet)),
  volumes: at('volumes', '1', podVolumes),
  imagePullSecrets: at('imagePullSecrets', '15', list(within('name', '1', text))),
  priorityClassName: at('priorityClassName', '24', text),
  runtimeClassName: at('runtimeClassName', '29', text),
};

/** The objects that the Pods of a template refer to. */
export const podTemplate = object(templateReferences, isAnySet);

/** The same of a kind of which the containers are not kept. */
export const wholePodTemplate = object(
  {
    ...templateReferences,
    serviceAccountName: at('serviceAccountName', '8', text),
    containers: at('containers', '2', objects(sourceFields(''), isAnySet)),
  },
  isAnySet,
);
export type PodTemplate = KeptBy<typeof wholePodTemplate>;

import { usageError } from '../errors.ts';

/** Every controller of kube-controller-manager v1.36.3 and those that v1.38 adds, and its older alias where it has one. */
const controllerTable = `
  bootstrap-signer-controller bootstrapsigner
  certificatesigningrequest-approving-controller csrapproving
  certificatesigningrequest-cleaner-controller csrcleaner
  certificatesigningrequest-signing-controller csrsigning
  cloud-node-lifecycle-controller cloud-node-lifecycle
  clusterrole-aggregation-controller clusterrole-aggregation
  cronjob-controller cronjob
  daemonset-controller daemonset
  deployment-controller deployment
  device-taint-eviction-controller
  disruption-controller disruption
  endpoints-controller endpoint
  endpointslice-controller endpointslice
  endpointslice-mirroring-controller endpointslicemirroring
  ephemeral-volume-controller ephemeral-volume
  evictionrequest-controller
  garbage-collector-controller garbagecollector
  horizontal-pod-autoscaler-controller horizontalpodautoscaling
  imperative-eviction-responder-controller
  job-controller job
  kube-apiserver-serving-clustertrustbundle-publisher-controller
  legacy-serviceaccount-token-cleaner-controller legacy-service-account-token-cleaner
  namespace-controller namespace
  node-ipam-controller nodeipam
  node-lifecycle-controller nodelifecycle
  node-route-controller route
  persistentvolume-attach-detach-controller attachdetach
  persistentvolume-binder-controller persistentvolume-binder
  persistentvolume-expander-controller persistentvolume-expander
  persistentvolume-protection-controller pv-protection
  persistentvolumeclaim-protection-controller pvc-protection
  pod-garbage-collector-controller podgc
  podcertificaterequest-cleaner-controller
  podgroup-protection-controller
  replicaset-controller replicaset
  replicationcontroller-controller replicationcontroller
  resourceclaim-controller resource-claim-controller
  resourcepoolstatusrequest-controller
  resourcequota-controller resourcequota
  root-ca-certificate-publisher-controller root-ca-cert-publisher
  selinux-warning-controller
  service-cidr-controller
  service-lb-controller service
  serviceaccount-controller serviceaccount
  serviceaccount-token-controller serviceaccount-token
  statefulset-controller statefulset
  storage-version-migrator-controller svm
  storageversion-garbage-collector-controller storage-version-gc
  taint-eviction-controller
  token-cleaner-controller tokencleaner
  ttl-after-finished-controller ttl-after-finished
  ttl-controller ttl
  validatingadmissionpolicy-status-controller
  volumeattributesclass-protection-controller
`;

/** What `*` leaves off (ControllersDisabledByDefault, cmd/kube-controller-manager/app/controller_descriptor.go). */
const offByDefault = new Set([
  'bootstrap-signer-controller',
  'selinux-warning-controller',
  'token-cleaner-controller',
]);

/** The others need its tokens, so that it runs whatever the list says. */
const alwaysOn = 'serviceaccount-token-controller';

const canonicalNames = new Map<string, string>();
for (const line of controllerTable.trim().split('\n')) {
  const [name = '', alias = name] = line.trim().split(' ');
  canonicalNames.set(name, name).set(alias, name);
}

/** Is it called so, canonically or by its older alias? */
export function isController(name: string): boolean {
  return canonicalNames.has(name);
}

export type EnabledControllers = (name: string) => boolean;

export const garbageCollectorName = 'garbage-collector-controller';

export function offHere(name: string): string {
  const flags =
    name === garbageCollectorName ? '--controllers or --enable-garbage-collector' : '--controllers';
  return `does not run here, as ${flags} leaves ${name} off`;
}

/** Does it run only where `--controllers` names it? */
export function isOffByDefault(name: string): boolean {
  return offByDefault.has(name);
}

/** Does `--controllers` leave off all of these, and not because they are off by default? */
export function isLeftOff(names: readonly string[], controllers: readonly string[]): boolean {
  const isEnabled = enabledControllers(controllers);
  const byDefault = names.some((name) => !isOffByDefault(name));
  return byDefault && !names.some(isEnabled);
}

/** Why the garbage collector does nothing, where its being off is known. */
export function collectorOff(controllers: readonly string[] | undefined): string | undefined {
  const isOff = controllers !== undefined && !enabledControllers(controllers)(garbageCollectorName);
  return isOff ? `the garbage collector ${offHere(garbageCollectorName)}` : undefined;
}

/** The canonical name in `name` or `-name`. */
function controllerIn(entry: string, place: string): string {
  const given = entry.replace(/^-/, '');
  const name = canonicalNames.get(given);
  if (name !== undefined) return name;
  throw usageError(`${place}: "${given}" is not a controller of kube-controller-manager`, [
    'Write canonical names, as in garbage-collector-controller, namespace-controller or *.',
  ]);
}

/**
 * kube-controller-manager's `--controllers`: `*`, `name`, `-name`, aliases included; what is said
 * of one controller first counts. An unknown name is a usage error at `place`.
 */
export function enabledControllers(
  controllers: readonly string[],
  place = '--controllers',
): EnabledControllers {
  const choices = new Map<string, boolean>();
  for (const [index, entry] of controllers.entries()) {
    const name = entry === '*' ? entry : controllerIn(entry, `${place}[${index}]`);
    if (!choices.has(name)) choices.set(name, !entry.startsWith('-'));
  }
  const others = choices.has('*');
  const isRunning = controllers.length > 0;
  return (name) =>
    (isRunning && name === alwaysOn) || (choices.get(name) ?? (others && !offByDefault.has(name)));
}

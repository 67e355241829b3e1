import { didYouMean } from '../../kube/names.ts';
import { minorOf } from './setting-definition.ts';
import type { ProgramFacts } from './settings-facts.ts';

/** Every flag of kube-controller-manager v1.36, as `--help` lists them, and those that it hides as deprecated. */
const names = `
allocate-node-cidrs allow-metric-labels allow-metric-labels-manifest allow-untagged-cloud
attach-detach-reconcile-sync-period authentication-kubeconfig authentication-skip-lookup
authentication-token-webhook-cache-ttl authentication-tolerate-lookup-failure
authorization-always-allow-paths authorization-kubeconfig
authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
bind-address cert-dir cidr-allocator-type client-ca-file cloud-config cloud-provider
cluster-cidr cluster-name cluster-signing-cert-file cluster-signing-duration
cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file
cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file
cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file
cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file
cluster-signing-legacy-unknown-key-file concurrent-cron-job-syncs concurrent-daemonset-syncs
concurrent-deployment-syncs concurrent-device-taint-eviction-syncs concurrent-endpoint-syncs
concurrent-ephemeralvolume-syncs concurrent-gc-syncs concurrent-horizontal-pod-autoscaler-syncs
concurrent-job-syncs concurrent-namespace-syncs concurrent-rc-syncs concurrent-replicaset-syncs
concurrent-resource-quota-syncs concurrent-resourceclaim-syncs concurrent-service-endpoint-syncs
concurrent-service-syncs concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs
concurrent-ttl-after-finished-syncs concurrent-validating-admission-policy-status-syncs
configure-cloud-routes contention-profiling controller-shutdown-timeout
controller-start-interval controllers disable-attach-detach-reconcile-sync
disable-force-detach-on-timeout disable-http2-serving disabled-metrics emulated-version
enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner
enable-leader-migration endpoint-updates-batch-period endpointslice-updates-batch-period
external-cloud-volume-plugin feature-gates flex-volume-plugin-dir help
horizontal-pod-autoscaler-cpu-initialization-period
horizontal-pod-autoscaler-downscale-stabilization
horizontal-pod-autoscaler-initial-readiness-delay horizontal-pod-autoscaler-sync-period
horizontal-pod-autoscaler-tolerance http2-max-streams-per-connection kube-api-burst
kube-api-content-type kube-api-qps kubeconfig large-cluster-size-threshold leader-elect
leader-elect-lease-duration leader-elect-renew-deadline leader-elect-resource-lock
leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period
leader-migration-config legacy-service-account-token-clean-up-period log-flush-frequency
log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size log-text-split-stream
logging-format master max-endpoints-per-slice min-compatibility-version min-resync-period
mirroring-concurrent-service-endpoint-syncs mirroring-endpointslice-updates-batch-period
mirroring-max-endpoints-per-subset namespace-sync-period node-cidr-mask-size
node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period
node-monitor-period node-startup-grace-period node-sync-period permit-address-sharing
permit-port-sharing profiling pv-recycler-increment-timeout-nfs
pv-recycler-minimum-timeout-hostpath pv-recycler-minimum-timeout-nfs
pv-recycler-pod-template-filepath-hostpath pv-recycler-pod-template-filepath-nfs
pv-recycler-timeout-increment-hostpath pvclaimbinder-sync-period requestheader-allowed-names
requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
requestheader-uid-headers requestheader-username-headers resource-quota-sync-period root-ca-file
route-reconciliation-period secondary-node-eviction-rate secure-port
service-account-private-key-file service-cluster-ip-range show-hidden-metrics-for-version
terminated-pod-gc-threshold tls-cert-file tls-cipher-suites tls-curve-preferences
tls-min-version tls-private-key-file tls-sni-cert-key unhealthy-zone-threshold
use-service-account-credentials v version vmodule
`;

const from36 = names.trim().split(/\s+/);
const from37 = [
  ...from36.filter((name) => name !== 'concurrent-service-syncs'),
  'concurrent-disruption-syncs',
];

/**
 * By the minor version of Kubernetes 1 that has them; others have had others.
 * @internal
 */
export const controllerManagerFlags: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [36, new Set(from36)],
  [37, new Set(from37)],
]);

/** Flags with which kube-controller-manager does not start, in its own words, with the nearest name. */
export function unknownFlagFaults({ component, version, commandLine }: ProgramFacts): string[] {
  if (component !== 'kube-controller-manager' || !commandLine) return [];
  const flags = controllerManagerFlags.get(minorOf(version) ?? 0);
  if (!flags) return [];
  const known = [...flags].map((name) => `--${name}`);
  return [...commandLine.flags.keys()]
    .filter((flag) => !flags.has(flag))
    .map((flag) => [`unknown flag: --${flag}`, ...didYouMean(`--${flag}`, known)].join('. '));
}

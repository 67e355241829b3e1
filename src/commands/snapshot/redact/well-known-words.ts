import { allRuleIds } from '../../../audit/audit.ts';
import { knownFinalizers } from '../../../controllers/finalizers/known-finalizers.ts';
import { settingsTable } from '../../../controllers/settings/settings-table.ts';
import { builtInTypes } from '../../../kube/built-in-types.ts';
import { keptAnnotations } from '../../../kube/facts/kept-annotations.ts';
import { factFieldsOf } from '../../../kube/facts/object-facts.ts';
import type { NamedField } from '../../../kube/facts/shape.ts';
import { evictionSignals } from '../../../kubelet/eviction/eviction-thresholds.ts';

/**
 * Words of Kubernetes itself, of its own objects and of widely used tools. They say nothing about a cluster
 * that is not public, and rules go by them: in names, labels, finalizers, conditions.
 */
const curated = `
  accepted accounts acquire active addon addonmanager addons addresses admin admission after agent
  aggregate aggregated aggregation aggregator aks alive all allocate allocated allocator allow allowed
  alpha already alternates always amd64 an and annotation annotations anonymous another answer answers api
  apis apiserver app application apply applyset approved apr arch are argo argocd argoproj arm64 as ask
  asked at attach attachdetach attached aug auth authenticated authenticator auto automanaged autoscaler
  autoscaling available aws azure azuredisk azurefile back background backoff basic batch be because been
  before being best beta bidirectional bind binder binding bitnami block blocked bootstrap bootstrapping
  bound broken build burstable but by ca calico can cannot catalog catch categories cert certificate
  certificates certmanager changed chart cidrs cilium cinder claim claims class classes cleaner cleanup
  client cloud cloudprovider cluster com command common complete completed completion completions
  component components composite compute concurrent conditions config configuration configure configured
  configz conflict connection container containers content contention control controller controllers
  conversion coordination core coredns could count coverage cpu crash create created creation credentials
  criteria critical cron crossplane crt csi current currently custom daemon data dead deadline dec
  dedicated default defaults deferred degraded delete deleted deleting deletion denied dependent deploy
  deployer deprecated detach device diagnosis disable disabled discovered discovery disk disruption dns do
  docker does domain done down drain drained driver drivers due duplicate duration during dynamic each ebs
  edit effects effort efs egress either eks elect elected election elsewhere enable enabled endpoint
  endpoints endpointslicemirroring ephemeral ephemeralvolume equal equivalent error errors etcd event
  evict evicted eviction evidence exact exceeded exclude exec execute exempt exhaustive exist exists
  expected expiration expired extension extensions external f fail failed failure fairness false family
  fargate feature feb field fields fieldsv1 file files filestore filesystem filter finalization finalize
  finalizer finalizers finished first flags flagz flannel flow flux fluxcd for forbid forbidden force
  foreground found fqdn fri from full garbage gate gatekeeper gates gateway gc gce generation generic get
  git github gke global go gone grace graceful grafana group groups guaranteed had harbor has hash have
  headless healthy heartbeat helm heritage high higher his holder holders honor hook host hostname
  hostpath how however http https identity if ignore image images immediate impersonate in index indexed
  infeasible info ingress init initialized initializing input instance instances insufficient internal
  invalid involved io ipallocator ipv4 ipv6 is issued issuing istio it its jan jetstack job jobs join json
  jul jun k k3s k8s keda keel keep key kind knative known konnectivity kro kube kubeadm kubectl kubelet
  kubelets kubernetes kubevirt kustomization kustomize kyverno label labels large last lastrenewtime
  latest launch leader leaders lease leasecandidate leasecandidates leases legacy let level library
  lifecycle limit limited limits line linkerd linux list liveness load local localhost longhorn lookup
  loop lost low lower maintenance managed manager managers manually many mar master max maximum may meets
  member memory merge message met metadata metrics migrated migration minikube minimum minio mirror
  mirroring missing mode modify mon monitor monitoring more most mount must name names namespace
  namespaced namespaces needs net network networking never new next nfs nginx no node nodes nodeshutdown
  none normal noschedule not nothing notification nov now number object objects observed oct of off ok old
  olm on once one only oom opaque openshift openstack operation operations operator operators or ordered
  ordinal org origin os other others out over owned owner owning parallel parameters parsed parsing part
  passed path paths paused pd peers pending per percent perhaps period permission permit persistent phase
  pid pki place plane plugin pod podcertificaterequest podcertificaterequests podgc pods policy port ports
  portworx post posting posts pre preempt preempting preemption prefer preferred prefix present preserving
  pressure prevent priority private privileged probe probes problems profiling programs progress
  progressing prometheus protection provider provisioned provisioner provisioning prow proxy public
  publication publisher pull pxd qps quay queue quota raft ran rancher rate rbac reach reachable reached
  read readat readfrom readiness ready reason reasons reclaim reconcile recreate recycle redhat ref
  references refused region registry rejected release released remain remaining remove removed renew
  replace replica replicas replicated request requested requests required reserved resize resizing
  resolved resource resources restart restarting retain review reviewer reviews revision role rollback
  rolling rollout rook root route routes routing rules run running runtime same sat say scale scaled
  schedulable schedule scheduled scheduler scheduling scope scripts sealed secondary seconds secret
  secrets see selected selector selfhosted selinux semantic sep sequence serve server service services
  serving set settings sh sha256 short shutdown side sidecar signal signer sigs since single singular size
  skew skip snapshot snapshotcontroller snapshots snapshotter so sole some source spark spec specified
  start started startup state static status still stopped storage storagemigration storageos
  storageversion storageversions store strategy strimzi subject subjects subresource succeeded success
  successfully such sufficient sun suspend suspended svc sync synced syncs system taint tainted taints
  target tcp tekton template terminated terminating termination test text than that the their them then
  there these they this those thu tier tigera time timed timeout timestamp tls tmp to token tokens
  tolerate tolerated toleration tombstone too toolkit topology tracking traefik transition transitions
  trident true truncated ttl tue type types udp uid unable unapproved unavailable unbound unclear under
  unhealthy unknown unlimited unmanaged unpublish unreachable unreadable unschedulable until up update
  updated updating upgrade url use used user users v valid validating value vault velero verbs version
  versions view virtual volume volumes vsphere wait waiting want warning was weave webhook webhooks wed
  weight were what when where which while who why will windows with within without worker workload would
  write writers x yaml zone
`;

/** Parts of names, such as `SomeResourcesRemain` and `imageGC`. */
const parts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

const wellKnown = new Set<string>();

function learn(text: string): void {
  for (const word of text.match(/[0-9A-Za-z]+/g) ?? []) wellKnown.add(word.toLowerCase());
}

/** The names of the fields that are kept of an object. */
function learnFields(fields: readonly NamedField[]): void {
  for (const { path, shape } of fields) {
    learn(path.join(' '));
    const of = shape.form === 'list' ? shape.of : shape;
    if (of.form === 'object') learnFields(of.fields);
  }
}

learn(curated);
for (const type of builtInTypes) {
  const { group, kind, resource, shortNames, categories, verbs } = type;
  learn([group, kind, resource, ...shortNames, ...categories, ...verbs].join(' '));
  learnFields(factFieldsOf(type) ?? []);
}
for (const { name, setBy } of knownFinalizers()) {
  const { names = [], labels = [], images = [], leases = [], namesByGroup = {} } = setBy;
  const others = Object.values(namesByGroup).flat();
  learn([name, ...names, ...labels, ...images, ...leases, ...others].join(' '));
}
for (const { flag, field } of Object.values(settingsTable).flat()) learn([flag, field].join(' '));
for (const signal of evictionSignals) learn(signal);
for (const annotation of keptAnnotations) learn(annotation);
for (const id of allRuleIds) learn(id);

const version = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/** Does a word, or each part of one such as `NamespaceContentRemaining`, stay as it is? */
export function isWellKnownWord(word: string): boolean {
  if (wellKnown.has(word.toLowerCase()) || version.test(word)) return true;
  if (!/[a-z][A-Z]|[A-Z][a-z]/.test(word)) return false;
  const found = word.match(parts) ?? [];
  return (
    found.join('') === word &&
    found.every((part) => /^\d+$/.test(part) || wellKnown.has(part.toLowerCase()))
  );
}

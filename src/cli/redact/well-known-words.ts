import { allRuleIds } from '../../audit/audit.ts';
import { knownFinalizers } from '../../controllers/finalizers/known-finalizers.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { keptAnnotations } from '../../kube/object-record.ts';

/**
 * Words of Kubernetes itself, of its own objects and of widely used tools. They say nothing about a cluster
 * that is not public, and rules go by them: in names, labels, finalizers, conditions.
 */
const curated = `
  accepted accounts acquire active addon addonmanager addons addresses admin admission after agent aggregate
  aggregated aggregation aggregator aks alive all allocate allocated allocator allow allowed alpha already
  alternates always amd64 and annotation annotations anonymous another answer answers api apis apiserver app
  application apply approved apr arch are argo argocd argoproj arm64 as ask at attach attachdetach attached
  aug auth authenticated authenticator auto automanaged autoscaler autoscaling available aws azure azuredisk
  azurefile back background backoff basic batch be because been before being best beta bidirectional bind
  binder binding bitnami block blocked bootstrap bootstrapping bound broken build burstable but by ca calico
  can cannot catalog catch cert certificate certificates certmanager changed chart cidrs cilium cinder claim
  claims class classes cleaner cleanup client cloud cloudprovider cluster com command common complete
  completed completion completions component components compute concurrent conditions config configuration
  configure configured configz conflict connection container containers content contention control controller
  controllers conversion coordination core coredns could count cpu crash create created creation credentials
  criteria critical cron crt csi current currently custom daemon data dead deadline dec dedicated default
  deferred degraded delete deleted deleting deletion denied dependent deploy deployer deprecated detach device
  diagnosis disable disabled discovered discovery disk disruption dns do docker does domain done down drain
  drained driver drivers due duration during dynamic each ebs edit effects effort efs egress either eks elect
  elected election elsewhere enable enabled endpoint endpoints endpointslicemirroring ephemeral
  ephemeralvolume equal equivalent error errors etcd event evict evicted eviction exact exceeded exclude exec
  execute exempt exist exists expected expiration expired extension extensions external f fail failed failure
  fairness false family fargate feature feb field fields fieldsv1 file filestore filesystem filter
  finalization finalize finalizer finalizers finished first flagz flannel flow flux fluxcd for forbid
  forbidden force foreground found fqdn fri full garbage gate gatekeeper gates gateway gc gce generation
  generic get git github gke global go gone grace graceful grafana group groups guaranteed had harbor has hash
  have headless healthy heartbeat helm heritage high higher his holder holders honor hook host hostname
  hostpath how however http https identity if ignore image images immediate impersonate in index indexed
  infeasible info ingress init initialized initializing instance instances insufficient internal invalid
  involved io ipv4 ipv6 is issued issuing istio it its jan jetstack job jobs join json jul jun k k3s k8s keda
  keel keep key kind knative known konnectivity kube kubeadm kubectl kubelet kubelets kubernetes kubevirt
  kustomization kustomize kyverno label labels large last lastrenewtime latest launch leader leaders lease
  leasecandidate leasecandidates leases legacy let library lifecycle limit limited limits line linkerd linux
  list liveness load local localhost longhorn lookup loop lost low lower maintenance managed manager manually
  many mar master max maximum may meets member memory met metadata metrics migrated migration minikube minimum
  minio mirror mirroring missing mode modify mon monitor monitoring more most mount must name names namespace
  namespaced namespaces needs net network networking never new next nfs nginx no node nodes nodeshutdown none
  normal noschedule not nothing notification nov now number object objects observed oct of off ok old olm on
  once one only oom opaque openshift openstack operation operations operator operators or ordered ordinal org
  os other others out over owned owner owning parallel parameters parsed parsing part passed path paused pd
  peers pending per percent perhaps period permission permit persistent phase pid pki plane plugin pod
  podcertificaterequest podcertificaterequests podgc pods policy port ports portworx post posting posts pre
  preempt preempting preemption prefer preferred prefix present preserving pressure prevent priority private
  privileged probe probes profiling progress progressing prometheus protection provider provisioned
  provisioner provisioning prow proxy public publisher pull pxd qps quay queue quota raft ran rancher rate
  reach reachable reached read readat readfrom readiness ready reason reasons reclaim reconcile recreate
  recycle redhat ref refused region registry rejected release released remain remaining remove removed renew
  replace replica replicas replicated request requested requests required reserved resize resizing resolved
  resource resources restart restarting retain review reviewer reviews revision role rollback rolling rollout
  rook root route routes routing rules run running runtime same sat say scale scaled schedulable schedule
  scheduled scheduler scheduling scope scripts sealed secondary seconds secret secrets see selected selector
  selfhosted selinux semantic sep sequence serve server service services serving set settings sh sha256
  shutdown side sidecar signal signer sigs since single size skew skip snapshot snapshotcontroller snapshots
  snapshotter so sole some source spark spec specified start started startup state static status still stopped
  storage storagemigration storageos storageversion storageversions store strategy strimzi subject subjects
  subresource succeeded success successfully such sufficient sun suspend suspended svc sync synced syncs
  system taint tainted taints target tcp tekton template terminated terminating termination test than that the
  their them then there these they this those thu tier tigera time timed timeout timestamp tls tmp to token
  tokens tolerate tolerated toleration tombstone too toolkit topology traefik transition transitions trident
  true ttl tue type types udp uid unable unapproved unavailable unbound under unhealthy unknown unlimited
  unmanaged unpublish unreachable unreadable unschedulable until up update updated updating upgrade url use
  used user users v valid validating value vault velero version versions view virtual volume volumes vsphere
  wait waiting want warning was weave webhook webhooks wed weight were what when where which while who why
  will windows with within without worker workload would write x yaml zone
`;

/** Parts of names, such as `SomeResourcesRemain` and `imageGC`. */
const parts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

const wellKnown = new Set<string>();

function learn(text: string): void {
  for (const word of text.match(/[0-9A-Za-z]+/g) ?? []) wellKnown.add(word.toLowerCase());
}

learn(curated);
for (const type of builtInTypes) {
  const { group, kind, resource, shortNames, categories, verbs } = type;
  learn([group, kind, resource, ...shortNames, ...categories, ...verbs].join(' '));
}
for (const { name, setBy } of knownFinalizers) {
  const { names = [], labels = [], images = [], leases = [], namesByGroup = {} } = setBy;
  const others = Object.values(namesByGroup).flat();
  learn([name, ...names, ...labels, ...images, ...leases, ...others].join(' '));
}
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

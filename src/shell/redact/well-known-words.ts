import { allRuleIds } from '../../audit/audit.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { keptAnnotations } from '../../kube/facts/kept-annotations.ts';
import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import { namespaceArgument, namespaceVariable } from '../../kube/facts/pod.ts';
import type { NamedField } from '../../kube/facts/shape.ts';
import { evictionSignals } from '../../kubelet/eviction/eviction-thresholds.ts';
import { knownFinalizers } from '../../programs/known-finalizers.ts';
import { settingsTable } from '../../settings/settings-table.ts';

/**
 * Words of Kubernetes, of its default objects and of widely used tools. They reveal nothing private about a cluster,
 * and rules use them: in names, labels, finalizers, conditions.
 */
const curated = `
  accepted accounts acquire addon addonmanager addons addresses admin after aggregate aggregated
  aggregation aggregator aks alive allocate allocated allocator allow allowed already alternates always
  amd64 an and annotation annotations anonymous another answer answers apis apply applyset approved apr
  arch are arm64 ask asked at attach attachdetach aug auth authenticated authenticator auto automanaged
  autoscaler back background backoff basic be because been before being best beta bidirectional bind
  binder bitnami blocked bootstrap bootstrapping broken build burstable but ca calico can cannot catalog
  catch categories certmanager changed chart cilium claims class classes cleaner client cloudprovider
  command common complete completed completion component components compute configuration configure
  configured configz conflict connection content contention core coredns could count coverage cpu crash
  created creation credentials criteria critical cron crt current currently custom daemon dec dedicated
  defaults deferred degraded deleted deleting denied dependent deployer diagnosis disabled discovered
  disk disruption dns docker does domain done down drain drained due during dynamic each ebs edit effects
  effort efs egress either eks elected elsewhere enabled endpoint endpointslicemirroring ephemeralvolume
  equal equivalent error errors etcd evict evicted evidence exact exceeded exclude exec execute exempt
  exhaustive exist expected expiration expired extension f fail failure fairness false family fargate
  feature feb field fields fieldsv1 file files filestore filesystem filter finalization finalize first
  flags flagz flannel flow flux for forbid forbidden foreground found fqdn fri from full gate gates
  generic git github global go gone graceful groups guaranteed had harbor has hash have headless healthy
  heartbeat heritage higher his holder holders honor host hostname how however http https identity if
  immediate impersonate index indexed infeasible info init initialized initializing input instance
  instances insufficient internal invalid involved ipallocator ipv4 ipv6 is issued issuing it its jan
  jetstack join json jul jun k k3s keel keep kept knative known konnectivity kro kubelet kubelets
  kustomization kyverno label labels last lastrenewtime latest launch leaders leasecandidate
  leasecandidates let level library lifecycle limit limited line linkerd linux liveness localhost lookup
  loop lost lower maintenance managed managers manually many mar master may meets member merge met
  metrics migration minikube minio mirroring mode modify mon more most mount must names needs net never
  new next nginx nodeshutdown none normal noschedule nothing nov now number objects observed oct off ok
  old once one only oom opaque openstack operation or ordered ordinal origin os other others over overdue owned
  parallel parameters parsed parsing part passed paths pd peers pending percent perhaps permission permit
  persistent pki place plugin podcertificaterequest podcertificaterequests podgc port ports portworx
  posting posts preempt preempting preemption prefer preferred prefix present preserving pressure prevent
  priority private privileged probe probes problems profiling programs progress progressing provisioning
  prow proxy public publication publisher pull pxd quay queue raft ran reach reachable reached read
  readat readfrom readiness reasons reclaim recreate recycle redhat ref references refused region
  rejected remain remaining remove removed replace replica replicated request requested requests required
  reserved resize resizing resolved restart restarting retain review reviewer reviews rolling rollout
  root route routes routing run runtime same sat say scale scaled schedulable scheduled scheduler scope
  scripts sealed see selected selfhosted selinux semantic sep sequence serve serving set settings sha256
  short shutdown side sidecar signer sigs since single singular skew skip snapshotcontroller snapshots
  snapshotter so sole some spark specified static still stopped storagemigration storageversion
  storageversions store subject subresource success successfully such sufficient sun suspended synced
  system taint tainted target tcp terminating test text than that the their them then there these they
  this those thu tier time timed timestamp tls tmp tokens tolerate tolerated tombstone too topology
  traefik transition transitions true truncated tue types udp unable unapproved unbound unclear under
  unknown unlimited unlistable unmanaged unpublish unreadable updated updating upgrade used user users v valid
  validating verb versions view virtual wait want warning was weave wed weight were what when where which
  while who why will windows with within worker workload would write writers yaml
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
for (const { flag, field } of Object.values(settingsTable()).flat()) learn([flag, field].join(' '));
for (const signal of evictionSignals) learn(signal);
for (const annotation of keptAnnotations) learn(annotation);
for (const { source } of [namespaceArgument, namespaceVariable]) learn(source);
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

import type { ResourceType } from './resource-type.ts';

const every = 'create,delete,deletecollection,get,list,patch,update,watch';

/**
 * One line per group version, below it one per kind: plural, kind, scope, verbs ('*' is `every`),
 * short names, categories. Recorded from kube-apiserver v1.36.3 by scripts/record-built-in-types.ts.
 */
const recorded = `
v1
  bindings                          Binding                          namespaced create
  componentstatuses                 ComponentStatus                  cluster    get,list cs
  configmaps                        ConfigMap                        namespaced * cm
  endpoints                         Endpoints                        namespaced * ep
  events                            Event                            namespaced * ev
  limitranges                       LimitRange                       namespaced * limits
  namespaces                        Namespace                        cluster    create,delete,get,list,patch,update,watch ns
  nodes                             Node                             cluster    * no
  persistentvolumeclaims            PersistentVolumeClaim            namespaced * pvc
  persistentvolumes                 PersistentVolume                 cluster    * pv
  pods                              Pod                              namespaced * po all
  podtemplates                      PodTemplate                      namespaced *
  replicationcontrollers            ReplicationController            namespaced * rc all
  resourcequotas                    ResourceQuota                    namespaced * quota
  secrets                           Secret                           namespaced *
  serviceaccounts                   ServiceAccount                   namespaced * sa
  services                          Service                          namespaced * svc all
apiregistration.k8s.io/v1
  apiservices                       APIService                       cluster    * - api-extensions
apps/v1
  controllerrevisions               ControllerRevision               namespaced *
  daemonsets                        DaemonSet                        namespaced * ds all
  deployments                       Deployment                       namespaced * deploy all
  replicasets                       ReplicaSet                       namespaced * rs all
  statefulsets                      StatefulSet                      namespaced * sts all
events.k8s.io/v1
  events                            Event                            namespaced * ev
authentication.k8s.io/v1
  selfsubjectreviews                SelfSubjectReview                cluster    create
  tokenreviews                      TokenReview                      cluster    create
authorization.k8s.io/v1
  localsubjectaccessreviews         LocalSubjectAccessReview         namespaced create
  selfsubjectaccessreviews          SelfSubjectAccessReview          cluster    create
  selfsubjectrulesreviews           SelfSubjectRulesReview           cluster    create
  subjectaccessreviews              SubjectAccessReview              cluster    create
autoscaling/v2
  horizontalpodautoscalers          HorizontalPodAutoscaler          namespaced * hpa all
autoscaling/v1
  horizontalpodautoscalers          HorizontalPodAutoscaler          namespaced * hpa all
batch/v1
  cronjobs                          CronJob                          namespaced * cj all
  jobs                              Job                              namespaced * - all
certificates.k8s.io/v1
  certificatesigningrequests        CertificateSigningRequest        cluster    * csr
networking.k8s.io/v1
  ingressclasses                    IngressClass                     cluster    *
  ingresses                         Ingress                          namespaced * ing
  ipaddresses                       IPAddress                        cluster    * ip
  networkpolicies                   NetworkPolicy                    namespaced * netpol
  servicecidrs                      ServiceCIDR                      cluster    *
policy/v1
  poddisruptionbudgets              PodDisruptionBudget              namespaced * pdb
rbac.authorization.k8s.io/v1
  clusterrolebindings               ClusterRoleBinding               cluster    *
  clusterroles                      ClusterRole                      cluster    *
  rolebindings                      RoleBinding                      namespaced *
  roles                             Role                             namespaced *
storage.k8s.io/v1
  csidrivers                        CSIDriver                        cluster    *
  csinodes                          CSINode                          cluster    *
  csistoragecapacities              CSIStorageCapacity               namespaced *
  storageclasses                    StorageClass                     cluster    * sc
  volumeattachments                 VolumeAttachment                 cluster    *
  volumeattributesclasses           VolumeAttributesClass            cluster    * vac
admissionregistration.k8s.io/v1
  mutatingadmissionpolicies         MutatingAdmissionPolicy          cluster    * - api-extensions
  mutatingadmissionpolicybindings   MutatingAdmissionPolicyBinding   cluster    * - api-extensions
  mutatingwebhookconfigurations     MutatingWebhookConfiguration     cluster    * - api-extensions
  validatingadmissionpolicies       ValidatingAdmissionPolicy        cluster    * - api-extensions
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster    * - api-extensions
  validatingwebhookconfigurations   ValidatingWebhookConfiguration   cluster    * - api-extensions
apiextensions.k8s.io/v1
  customresourcedefinitions         CustomResourceDefinition         cluster    * crd,crds api-extensions
scheduling.k8s.io/v1
  priorityclasses                   PriorityClass                    cluster    * pc
coordination.k8s.io/v1
  leases                            Lease                            namespaced *
node.k8s.io/v1
  runtimeclasses                    RuntimeClass                     cluster    *
discovery.k8s.io/v1
  endpointslices                    EndpointSlice                    namespaced *
resource.k8s.io/v1
  deviceclasses                     DeviceClass                      cluster    *
  resourceclaims                    ResourceClaim                    namespaced *
  resourceclaimtemplates            ResourceClaimTemplate            namespaced *
  resourceslices                    ResourceSlice                    cluster    *
flowcontrol.apiserver.k8s.io/v1
  flowschemas                       FlowSchema                       cluster    *
  prioritylevelconfigurations       PriorityLevelConfiguration       cluster    *
`;

/**
 * The Kubernetes version whose kinds these are.
 * @internal
 */
export const builtInVersion = 'v1.36.3';

/** Every kind that a kube-apiserver serves with default settings, in its order of preference. */
export const builtInTypes: readonly ResourceType[] = expand(recorded);

function expand(table: string): ResourceType[] {
  const types: ResourceType[] = [];
  let group = '';
  let version = '';
  for (const line of table.trim().split('\n')) {
    const words = line.trim().split(/ +/);
    if (!line.startsWith(' ')) {
      [version = '', group = ''] = line.split('/').reverse();
      continue;
    }
    const [resource = '', kind = '', scope, verbs = '', shortNames = '', categories = ''] = words;
    types.push({
      group,
      version,
      kind,
      resource,
      singular: kind.toLowerCase(),
      shortNames: commaSeparated(shortNames),
      categories: commaSeparated(categories),
      namespaced: scope === 'namespaced',
      verbs: commaSeparated(verbs === '*' ? every : verbs),
    });
  }
  return types;
}

function commaSeparated(list: string): readonly string[] {
  return list === '-' || list === '' ? [] : list.split(',');
}

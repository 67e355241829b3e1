/**
 * Every finalizer that is known, in the order of docs/finalizers.md. A program by its title, and the page that documents what
 * follows (`k8s:` is Kubernetes' own code); below it, where it may be found: see FinalizerController. Each finalizer (a `*` stands
 * for anything; behind `on` stands the only kind that is meant) has two lines: what would be lost or left behind without it,
 * and what has to happen before it is removed.
 */
export const finalizerTable = `
# Kubernetes itself
garbage collector | k8s:/pkg/controller/garbagecollector/garbagecollector.go
  runsIn=kube-controller-manager controllerName=garbage-collector-controller
  foregroundDeletion
    the owner, until no dependent blocks its deletion
    no dependent with blockOwnerDeletion: true is left
  orphan
    the dependents, until none of them refers to the owner any more
    every dependent has lost its reference to the object
PVC protection controller | k8s:/pkg/controller/volume/pvcprotection/pvc_protection_controller.go
  runsIn=kube-controller-manager controllerName=persistentvolumeclaim-protection-controller
  kubernetes.io/pvc-protection
    a claim that a pod uses
    no pod that is bound to a node names the claim, finished ones included
PV protection controller | k8s:/pkg/controller/volume/pvprotection/pv_protection_controller.go
  runsIn=kube-controller-manager controllerName=persistentvolume-protection-controller
  kubernetes.io/pv-protection
    a volume that is bound to a claim
    the volume is not in phase Bound any more
persistent volume controller | k8s:/staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go
  runsIn=kube-controller-manager controllerName=persistentvolume-binder-controller
  kubernetes.io/pv-controller
    the storage behind a volume of an in-tree plugin with reclaim policy Delete
    the storage was deleted
VolumeAttributesClass protection controller | k8s:/pkg/volume/util/finalizer.go
  runsIn=kube-controller-manager controllerName=volumeattributesclass-protection-controller
  kubernetes.io/vac-protection
    a VolumeAttributesClass that a claim or a volume uses
    no claim and no volume names it
Job controller | k8s:/pkg/controller/job/job_controller.go
  runsIn=kube-controller-manager controllerName=job-controller
  batch.kubernetes.io/job-tracking
    a Job's count of its finished pods
    the pod is finished and counted, or its Job does not exist
resource claim controller | k8s:/pkg/apis/resource/types.go
  runsIn=kube-controller-manager controllerName=resourceclaim-controller
  resource.kubernetes.io/delete-protection
    a ResourceClaim whose devices are allocated
    no pod reserves the claim and it is deallocated
Service CIDR controller | k8s:/pkg/controller/servicecidrs/servicecidrs_controller.go
  runsIn=kube-controller-manager controllerName=service-cidr-controller
  networking.k8s.io/service-cidr-finalizer
    a ServiceCIDR from which Services have addresses
    no IPAddress of it is in use, or another ServiceCIDR contains it
PodGroup protection controller | k8s:/pkg/apis/scheduling/types.go
  runsIn=kube-controller-manager controllerName=podgroup-protection-controller
  scheduling.k8s.io/podgroup-protection
    a PodGroup that pods belong to
    no pod that is not finished belongs to it
  | https://github.com/kubernetes/kubernetes/tree/v1.38.0-beta.0/pkg/apis/scheduling
  scheduling.k8s.io/compositepodgroup-protection
    a CompositePodGroup that PodGroups belong to
    no PodGroup belongs to it
CRD finalizer of the API server | k8s:/staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go
  runsIn=kube-apiserver
  customresourcecleanup.apiextensions.k8s.io
    the instances of a CustomResourceDefinition
    every instance was deleted
service controller of the cloud controller manager | k8s:/staging/src/k8s.io/cloud-provider/service/helpers/helper.go
  names=cloud-controller-manager,cloud-controller labels=cloud-controller-manager
  images=cloud-controller-manager,cloud-provider,ccm leases=cloud-controller-manager mayRunElsewhere
  service.kubernetes.io/load-balancer-cleanup
    the load balancer of a Service at the cloud provider
    the load balancer was deleted at the provider
# CSI sidecars and storage systems
external-provisioner of the CSI driver | https://github.com/kubernetes-sigs/sig-storage-lib-external-provisioner/blob/master/controller/controller.go
  names=csi-provisioner,csi-controller,provisioner
  images=csi-provisioner,external-provisioner,-provisioner mayRunElsewhere oneOfMany
  external-provisioner.volume.kubernetes.io/finalizer
    the storage behind a volume with reclaim policy Delete
    the driver has deleted the storage
  | https://github.com/kubernetes-csi/external-provisioner/blob/master/pkg/controller/controller.go
  provisioner.storage.kubernetes.io/cloning-protection
    a claim that another claim is cloned from
    no claim is being cloned from it
  provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection
    a snapshot that a claim is filled from
    no claim is being filled from it
external-attacher of the CSI driver | https://github.com/kubernetes-csi/external-attacher/blob/master/pkg/controller/util.go
  names=csi-attacher,csi-controller images=csi-attacher,external-attacher
  leases=external-attacher-leader-* mayRunElsewhere oneOfMany
  external-attacher/*
    a volume or VolumeAttachment that is attached to a node
    the driver has detached the volume, or no VolumeAttachment names it
CSI snapshot controller | https://github.com/kubernetes-csi/external-snapshotter/blob/master/pkg/utils/util.go
  names=snapshot-controller,csi-snapshot-controller labels=snapshot-controller
  images=snapshot-controller leases=snapshot-controller-leader mayRunElsewhere
  snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection
    snapshot content that is bound to a VolumeSnapshot
    its VolumeSnapshot was deleted and, with policy Delete, the driver deleted the snapshot
  snapshot.storage.kubernetes.io/volumesnapshot-bound-protection
    a VolumeSnapshot that is bound to content
    its VolumeSnapshotContent is dealt with
  snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection
    a VolumeSnapshot that a claim is filled from
    no claim is being filled from it
  snapshot.storage.kubernetes.io/pvc-as-source-protection
    a claim that a snapshot is taken of
    no snapshot of it is under way
  groupsnapshot.storage.kubernetes.io/*
    a VolumeGroupSnapshot and its content
    the group snapshot is dealt with
Rook Ceph operator | https://rook.io/docs/rook/latest/Storage-Configuration/ceph-teardown/
  names=rook-ceph-operator labels=rook-ceph-operator images=rook/ceph
  ceph.rook.io/disaster-protection
    the Secret and ConfigMap that hold a Ceph cluster's monitors and keys
    the CephCluster is being deleted
  *.ceph.rook.io
    a Ceph resource and what still depends on it
    nothing depends on it any more and Ceph has removed it
Longhorn manager | https://github.com/longhorn/longhorn-manager/blob/master/datastore/datastore.go
  names=longhorn-manager labels=longhorn-manager,longhorn images=longhorn-manager
  longhorn.io
    data and processes behind a Longhorn resource
    Longhorn has cleaned up what stands behind it
TopoLVM | https://github.com/topolvm/topolvm/blob/main/constants.go
  names=topolvm-controller,topolvm-node labels=topolvm images=topolvm
  topolvm.io/logicalvolume
    the LVM volume of a LogicalVolume
    the LVM volume was removed on its node
  topolvm.io/node
    volumes on a Node that is being deleted
    the claims and LogicalVolumes of that node are deleted
NetApp Trident controller | https://github.com/NetApp/trident
  names=trident-controller,trident-csi labels=controller.csi.trident.netapp.io images=netapp/trident
  trident.netapp.io
    Trident's record of a volume or backend
    Trident has removed what stands behind it
vSphere CSI driver | https://github.com/kubernetes-sigs/vsphere-csi-driver
  names=vsphere-csi-controller labels=vsphere-csi-controller images=vsphere-csi,vsphere-block-csi
  mayRunElsewhere
  cns.vmware.com/pvc-protection
    a Supervisor claim that a guest cluster uses
    no guest cluster uses the volume
OpenEBS LVM driver | https://github.com/openebs/lvm-localpv
  names=openebs-lvm-controller,openebs-lvm-node,openebs-lvm-localpv-node,openebs-lvm-localpv-controller
  labels=openebs-lvm-controller,openebs-lvm-node images=openebs/lvm-driver
  lvm.openebs.io/finalizer
    the LVM volume or snapshot behind an LVMVolume or LVMSnapshot
    its node has removed the LVM volume or snapshot
OpenEBS Mayastor disk pool operator | https://github.com/openebs/mayastor-control-plane
  names=operator-diskpool labels=operator-diskpool images=mayastor-operator-diskpool
  openebs.io/diskpool-protection
    a DiskPool and the replicas in it
    the pool is empty and was destroyed on its node
# cloud providers' controllers: load balancers, machines, resources outside of the cluster
AWS Load Balancer Controller | https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/pkg/shared_constants/finalizers.go
  names=aws-load-balancer-controller labels=aws-load-balancer-controller
  images=aws-load-balancer-controller leases=aws-load-balancer-controller-leader mayRunElsewhere
  ingress.k8s.aws/resources
    the load balancer of an Ingress in AWS
    the load balancer and its rules were deleted in AWS
  group.ingress.k8s.aws/*
    the load balancer that a group of Ingresses shares
    the Ingress's rules were removed from the shared load balancer
  service.k8s.aws/resources
    the network load balancer of a Service in AWS
    the load balancer was deleted in AWS
  gateway.k8s.aws/*
    the load balancer of a Gateway, or a configuration that a Gateway uses
    the load balancer was deleted, or no Gateway uses the configuration
  | https://github.com/kubernetes-sigs/aws-load-balancer-controller
  elbv2.k8s.aws/resources
    targets that a TargetGroupBinding registered in AWS
    its targets were deregistered
Amazon network policy controller | https://github.com/aws/amazon-network-policy-controller-k8s
  names=amazon-network-policy-controller-k8s images=amazon-network-policy-controller mayRunElsewhere
  networking.k8s.aws/*
    what a network policy set up on the nodes
    the PolicyEndpoints of the policy are deleted
AWS controller for Kubernetes (ACK) of that service | https://github.com/aws-controllers-k8s/runtime
  names=ack-*-controller images=aws-controllers-k8s oneOfMany
  finalizers.*.services.k8s.aws/*
    the resource in AWS that the object stands for
    the resource was deleted in AWS
GKE's load balancer controller (GLBC), which may run outside of the cluster | https://github.com/kubernetes/ingress-gce/blob/master/pkg/utils/common/finalizer.go
  names=l7-lb-controller,glbc images=ingress-gce mayRunElsewhere
  networking.gke.io/ingress-finalizer
    the load balancer of an Ingress in Google Cloud
    the load balancer was deleted
  networking.gke.io/ingress-finalizer-V2
    the load balancer of an Ingress in Google Cloud
    the load balancer was deleted
  networking.gke.io/neg-finalizer
    the network endpoint groups of a Service
    the endpoint groups were deleted
  gke.networking.io/l4-*
    the internal or external load balancer of a Service in Google Cloud
    the load balancer was deleted
Config Connector | https://github.com/GoogleCloudPlatform/k8s-config-connector
  names=cnrm-controller-manager,cnrm-deletiondefender images=cnrm mayRunElsewhere
  cnrm.cloud.google.com/finalizer
    the resource in Google Cloud that the object stands for
    the resource was deleted, or is to be abandoned
  cnrm.cloud.google.com/deletion-defender
    resources in Google Cloud, while Config Connector's CRDs are being deleted
    the deletion defender has seen that it is the object that is to go, not its CRD
Azure Service Operator | https://github.com/Azure/azure-service-operator
  names=azureserviceoperator-controller-manager labels=azure-service-operator
  images=azureserviceoperator
  serviceoperator.azure.com/finalizer
    the resource in Azure that the object stands for
    the resource was deleted in Azure
Karpenter | https://github.com/kubernetes-sigs/karpenter
  names=karpenter labels=karpenter images=karpenter leases=karpenter-leader-election mayRunElsewhere
  karpenter.sh/termination
    the machine behind a Node or NodeClaim, and the pods on it
    the node is drained, its volumes are detached and the machine is terminated
Karpenter for AWS | https://github.com/aws/karpenter-provider-aws
  names=karpenter labels=karpenter images=karpenter leases=karpenter-leader-election mayRunElsewhere
  karpenter.k8s.aws/termination
    the instance profile and launch templates of an EC2NodeClass
    no NodeClaim uses the class, and what belongs to it was deleted in AWS
ngrok operator | https://github.com/ngrok/ngrok-operator
  names=ngrok-operator-manager,ngrok-operator labels=ngrok-operator images=ngrok-operator
  k8s.ngrok.com/finalizer
    endpoints and domains at ngrok
    they were deleted at ngrok
Tailscale operator | https://github.com/tailscale/tailscale/tree/main/cmd/k8s-operator
  names=tailscale-operator labels=tailscale-operator images=tailscale/k8s-operator
  tailscale.com/finalizer
    the device of a Service, Ingress or Connector in the tailnet
    the proxy and its device were deleted
# tools that deliver and compose other objects
Argo CD application controller | https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/
  names=argocd-application-controller labels=argocd-application-controller
  namespacesFrom=--application-namespaces,ARGOCD_APPLICATION_NAMESPACES
  resources-finalizer.argocd.argoproj.io*
    the resources that an Application deployed
    every resource of the Application is deleted in its cluster
  resources-finalizer.argocd.argoproj.io* on AppProject
    an AppProject that Applications refer to
    no Application refers to the project
  post-delete-finalizer.argocd.argoproj.io*
    the PostDelete hooks of an Application
    the hooks have run and were cleaned up
  pre-delete-finalizer.argocd.argoproj.io*
    the PreDelete hooks of an Application
    the hooks have run and were cleaned up
Argo CD ApplicationSet controller | https://github.com/argoproj/argo-cd/blob/master/applicationset/controllers/applicationset_controller.go
  names=argocd-applicationset-controller labels=argocd-applicationset-controller
  namespacesFrom=--applicationset-namespaces,ARGOCD_APPLICATIONSET_CONTROLLER_NAMESPACES
  resources-finalizer.argocd.argoproj.io* on ApplicationSet
    the order in which the Applications of an ApplicationSet are deleted
    the controller has seen the deletion; versions before 2.14 never remove it
Argo Workflows controller | https://github.com/argoproj/argo-workflows
  names=workflow-controller,argo-workflows-workflow-controller
  labels=workflow-controller,argo-workflows-workflow-controller images=workflow-controller
  workflows.argoproj.io/artifact-gc
    a Workflow's artifacts, until they are deleted as its artifactGC says
    its artifacts are deleted
  workflows.argoproj.io/status
    what a Workflow needs to know of a pod that has ended
    the controller has read the status of the pod, or its Workflow does not exist
Flux controller | https://github.com/fluxcd/kustomize-controller/blob/main/api/v1/kustomization_types.go
  names=kustomize-controller,helm-controller,source-controller,notification-controller,image-reflector-controller,image-automation-controller
  kustomize.toolkit.fluxcd.io=kustomize-controller helm.toolkit.fluxcd.io=helm-controller
  source.toolkit.fluxcd.io=source-controller notification.toolkit.fluxcd.io=notification-controller
  finalizers.fluxcd.io
    what a Kustomization or HelmRelease deployed, or a source stored
    its objects are pruned, its release is uninstalled, or its artifact is deleted
Tofu controller (Flux) | https://github.com/flux-iac/tofu-controller
  names=tf-controller,tofu-controller labels=tf-controller,tofu-controller
  images=tf-controller,tofu-controller
  finalizers.tf.contrib.fluxcd.io
    the resources that a Terraform object made
    they were destroyed, where destroyResourcesOnDeletion asks for it
Fleet controller | https://github.com/rancher/fleet
  names=fleet-controller,gitjob labels=fleet-controller images=rancher/fleet
  fleet.cattle.io/*
    what a bundle deployed to other clusters
    the bundle deployments were deleted from their clusters
Crossplane provider of the object's API group | https://github.com/crossplane/crossplane-runtime
  names=provider-*,upbound-provider-*,crossplane-provider-* images=/provider- mayRunElsewhere
  oneOfMany
  finalizer.managedresource.crossplane.io
    the external resource of a managed resource
    the external resource was deleted, or its deletion policy is Orphan
  in-use.crossplane.io
    a ProviderConfig that managed resources use
    no ProviderConfigUsage names it
Crossplane | https://github.com/crossplane/crossplane
  names=crossplane labels=crossplane images=crossplane/crossplane
  composite.apiextensions.crossplane.io
    what a composite resource is composed of
    the composed resources are deleted
  finalizer.apiextensions.crossplane.io
    the composite resource behind a claim
    the composite resource is deleted
  defined.apiextensions.crossplane.io
    the CRD and the composite resources of a CompositeResourceDefinition
    its composite resources and their CRD were deleted
  offered.apiextensions.crossplane.io
    the claim CRD and the claims of a CompositeResourceDefinition
    its claims and their CRD were deleted
  revision.pkg.crossplane.io
    what a package revision installed
    the revision is taken out of the lock and its objects are released
  lock.pkg.crossplane.io
    the list of installed packages
    it contains no package
Tekton Chains | https://github.com/tektoncd/chains
  names=tekton-chains-controller,tekton-chains-watcher labels=tekton-chains
  chains.tekton.dev*
    a TaskRun or PipelineRun until it is signed
    the run was signed and its provenance stored
Tekton Results | https://github.com/tektoncd/results
  names=tekton-results-controller,tekton-results-watcher labels=tekton-results
  results.tekton.dev/*
    a TaskRun or PipelineRun until its result is stored
    the result and the logs were stored
HCP Terraform operator | https://github.com/hashicorp/hcp-terraform-operator
  names=hcp-terraform-operator,terraform-cloud-operator
  labels=hcp-terraform-operator,terraform-cloud-operator
  *.app.terraform.io/finalizer
    the workspace, project, module or agent pool that it stands for
    it was deleted at HCP Terraform, as its deletion policy says
# what runs clusters, certificates, networks, virtual machines and platforms
cert-manager controller | https://github.com/cert-manager/cert-manager/tree/master/pkg/controller/acmechallenges
  names=cert-manager labels=cert-manager images=cert-manager-controller
  leases=cert-manager-controller
  finalizer.acme.cert-manager.io
    the DNS record or HTTP solver of an ACME challenge
    the challenge was cleaned up
  acme.cert-manager.io/finalizer
    the DNS record or HTTP solver of an ACME challenge
    the challenge was cleaned up
Istio operator (not part of Istio since 1.24) | https://github.com/istio/istio
  names=istio-operator labels=istio-operator
  istio-finalizer.install.istio.io
    the control plane that an IstioOperator installed
    the control plane is uninstalled
Kiali operator | https://github.com/kiali/kiali-operator
  names=kiali-operator labels=kiali-operator
  kiali.io/finalizer
    the Kiali server that a Kiali resource installed
    the server is uninstalled
Rancher | https://github.com/rancher/rancher
  names=rancher,cattle-cluster-agent labels=rancher,cattle-cluster-agent images=rancher/rancher
  mayRunElsewhere
  controller.cattle.io/*
    what Rancher keeps for the object, such as a namespace's roles
    Rancher has cleaned up, which it does only while the cluster is managed by it
  | https://github.com/rancher/wrangler
  wrangler.cattle.io/*
    what a controller of Rancher, Fleet or Harvester keeps for the object
    that controller has cleaned up
Cluster API controllers | https://github.com/kubernetes-sigs/cluster-api
  names=capi-controller-manager labels=cluster-api images=cluster-api-controller
  cluster.cluster.x-k8s.io
    the machines and infrastructure of a Cluster
    its machines, control plane and infrastructure were deleted
  machine.cluster.x-k8s.io
    the machine behind a Machine, and its Node
    the node is drained and the infrastructure was deleted
  machinepool.cluster.x-k8s.io
    the machines of a MachinePool, and their Nodes
    its bootstrap and infrastructure objects were deleted
  cluster.x-k8s.io/*
    the machines of a MachineDeployment or MachineSet
    its machines were deleted
Cluster API kubeadm control plane provider | https://github.com/kubernetes-sigs/cluster-api
  names=capi-kubeadm-control-plane-controller-manager
  kubeadm.controlplane.cluster.x-k8s.io
    the control plane machines of a Cluster
    the other machines and then those of the control plane were deleted
Cluster API infrastructure provider | https://github.com/kubernetes-sigs/cluster-api-provider-aws
  names=cap*-controller-manager oneOfMany
  *.infrastructure.cluster.x-k8s.io
    networks, machines and disks at a cloud
    they were deleted at the cloud
  | https://github.com/syself/cluster-api-provider-hetzner
  infrastructure.cluster.x-k8s.io/*
    networks, machines and disks at a cloud
    they were deleted at the cloud
Metal3 baremetal operator | https://github.com/metal3-io/baremetal-operator
  names=baremetal-operator-controller-manager images=baremetal-operator
  baremetalhost.metal3.io
    a host that is provisioned
    the host is deprovisioned and powered off
Tigera operator (Calico) | https://github.com/tigera/operator
  names=tigera-operator labels=tigera-operator images=tigera/operator
  tigera.io/operator-cleanup
    the network of the cluster while Calico is being removed
    Calico's components are removed in order
  tigera.io/cni-protector
    the roles that the Calico CNI plugin needs to tear down pods
    the calico-node pods were deleted
the implementation of that GatewayClass | https://gateway-api.sigs.k8s.io/reference/spec/
  names=envoy-gateway mayRunElsewhere oneOfMany
  gateway-exists-finalizer.gateway.networking.k8s.io*
    a GatewayClass that Gateways use
    no Gateway names the class
KubeVirt | https://github.com/kubevirt/kubevirt
  names=virt-controller,virt-operator labels=virt-controller,kubevirt
  kubevirt.io/*
    a virtual machine that runs
    its instance was stopped and deleted
  foregroundDeleteVirtualMachine
    a virtual machine instance that still runs on a node
    virt-handler has stopped it and virt-controller has seen that
KubeVirt CDI operator | https://github.com/kubevirt/containerized-data-importer
  names=cdi-operator labels=cdi-operator
  operator.cdi.kubevirt.io
    the installation of the containerized data importer
    it is uninstalled
Hive | https://github.com/openshift/hive
  names=hive-controllers
  hive.openshift.io/deprovision
    the cloud resources of a cluster that Hive installed
    the cluster was deprovisioned at its cloud
OpenShift machine controllers | https://github.com/openshift/machine-api-operator
  names=machine-api-controllers mayRunElsewhere
  machine.machine.openshift.io
    the machine behind a Machine, and its Node
    the node is drained and the machine was deleted
OpenShift image registry operator | https://github.com/openshift/cluster-image-registry-operator
  names=cluster-image-registry-operator mayRunElsewhere
  imageregistry.operator.openshift.io/finalizer
    the registry and its storage
    both are removed
OpenShift ingress operator | https://github.com/openshift/cluster-ingress-operator
  names=ingress-operator mayRunElsewhere
  ingresscontroller.operator.openshift.io/*
    the router, its load balancer and its DNS records
    they are removed
OpenShift cloud credential operator | https://github.com/openshift/cloud-credential-operator
  names=cloud-credential-operator mayRunElsewhere
  cloudcredential.openshift.io/deprovision
    credentials that were minted at the cloud
    they were deleted at the cloud
Operator Lifecycle Manager | https://github.com/operator-framework/operator-lifecycle-manager
  names=olm-operator labels=olm-operator
  operators.coreos.com/csv-cleanup
    cluster roles, webhooks and API services of an installed operator
    they are deleted
Karmada controllers | https://github.com/karmada-io/karmada
  names=karmada-controller-manager,karmada-agent mayRunElsewhere
  karmada.io/*
    what was distributed to member clusters
    it is removed from the member clusters
Open Cluster Management work agent | https://github.com/open-cluster-management-io/ocm
  names=klusterlet-work-agent,klusterlet-agent,work-agent mayRunElsewhere
  cluster.open-cluster-management.io/manifest-work-cleanup
    what a ManifestWork applied to a managed cluster
    it is removed from the managed cluster
External Secrets operator | https://github.com/external-secrets/external-secrets
  names=external-secrets labels=external-secrets images=external-secrets/external-secrets
  pushsecret.externalsecrets.io/finalizer
    secrets that were pushed to a provider
    they were deleted at the provider
  externalsecrets.external-secrets.io/externalsecret-cleanup
    the Secret that an ExternalSecret made
    the Secret is cleaned up as the creation policy says
Vault Secrets operator | https://github.com/hashicorp/vault-secrets-operator
  names=vault-secrets-operator-controller-manager labels=vault-secrets-operator
  images=vault-secrets-operator
  *.secrets.hashicorp.com/finalizer
    leases and tokens in Vault
    they were revoked
OPA Gatekeeper | https://github.com/open-policy-agent/gatekeeper
  names=gatekeeper-controller-manager,gatekeeper-audit labels=gatekeeper
  finalizers.gatekeeper.sh/*
    policies that are loaded (set by old versions only)
    the policy is unloaded
# operators of applications: databases, queues, backups, autoscalers, batch systems
KEDA operator | https://github.com/kedacore/keda
  names=keda-operator labels=keda-operator images=kedacore/keda leases=operator.keda.sh
  finalizer.keda.sh
    the autoscaler and the scale of the workload that a ScaledObject changed
    scaling is stopped and, if asked for, the old scale restored
VictoriaMetrics operator | https://github.com/VictoriaMetrics/operator
  names=victoria-metrics-operator,victoriametrics-operator,vm-operator labels=victoria-metrics-operator
  images=victoriametrics/operator
  apps.victoriametrics.com/finalizer
    what belongs to a resource of VictoriaMetrics: workloads, claims, Secrets and ConfigMaps
    the operator has deleted or released what belongs to it
Chaos Mesh | https://github.com/chaos-mesh/chaos-mesh
  names=chaos-controller-manager labels=chaos-mesh images=chaos-mesh
  chaos-mesh/records
    the targets into which an experiment has injected a fault
    every target has recovered
GitHub Actions runner scale set controller | https://github.com/actions/actions-runner-controller
  names=gha-rs-controller,arc-gha-rs-controller,gha-runner-scale-set-controller
  labels=gha-rs-controller,gha-runner-scale-set-controller images=gha-runner-scale-set-controller
  ephemeralrunner.actions.github.com/*
    a runner that is registered at GitHub, and its pod
    the runner is not registered any more, and its pod was deleted
Prometheus operator | https://github.com/prometheus-operator/prometheus-operator
  names=prometheus-operator,kube-prometheus-operator labels=prometheus-operator
  images=prometheus-operator
  monitoring.coreos.com/status-cleanup
    statuses that it wrote on monitors and rules
    its entries are taken out of those statuses
Velero | https://github.com/vmware-tanzu/velero
  names=velero,node-agent labels=velero images=velero/velero
  restores.velero.io/external-resources-finalizer
    a restore's files in the backup storage
    they were deleted from the backup storage
  velero.io/data-upload-download-finalizer
    a volume whose data is being moved
    the data mover ended or was cancelled
Strimzi topic operator | https://github.com/strimzi/strimzi-kafka-operator
  names=*-entity-operator,strimzi-topic-operator labels=entity-operator
  strimzi.io/topic-operator
    the topic in Kafka
    the topic was deleted in Kafka
RabbitMQ cluster operator | https://github.com/rabbitmq/cluster-operator
  names=rabbitmq-cluster-operator labels=rabbitmq-cluster-operator
  deletion.finalizers.rabbitmqclusters.rabbitmq.com
    the pods of a RabbitmqCluster, which would wait for their peers
    its StatefulSet is marked: the cluster is being deleted
Percona operator of that database | https://docs.percona.com/percona-operators/
  names=percona-xtradb-cluster-operator,percona-server-mongodb-operator,percona-postgresql-operator,percona-server-mysql-operator,pxc-operator,psmdb-operator,pg-operator
  percona.com/*
    the order in which pods stop, and volumes or certificates that are to be deleted
    the step that the finalizer names is done
CloudNativePG | https://cloudnative-pg.io/documentation/current/declarative_database_management/
  names=cnpg-controller-manager,cloudnative-pg labels=cloudnative-pg images=cloudnative-pg
  cnpg.io/*
    the database, publication or subscription that the object stands for
    it was dropped in PostgreSQL, as its reclaim policy says
Zalando Postgres operator | https://github.com/zalando/postgres-operator
  names=postgres-operator labels=postgres-operator images=zalando/postgres-operator
  postgres-operator.acid.zalan.do
    a Postgres cluster, its services and secrets
    the operator has deleted them
Crunchy Postgres operator | https://github.com/CrunchyData/postgres-operator
  names=pgo,postgres-operator labels=postgres-operator images=crunchydata/postgres-operator
  postgres-operator.crunchydata.com/finalizer
    the order in which the instances of a PostgresCluster stop
    its instances are stopped
MySQL operator | https://github.com/mysql/mysql-operator
  names=mysql-operator labels=mysql-operator images=mysql/community-operator,mysql-operator
  mysql.oracle.com/membership
    the member of an InnoDB Cluster in a pod
    the member has left the cluster
Grafana operator | https://github.com/grafana/grafana-operator
  names=grafana-operator,grafana-operator-controller-manager labels=grafana-operator
  images=grafana-operator
  operator.grafana.com/finalizer
    dashboards, folders and data sources in Grafana
    they were deleted in Grafana
Kueue | https://github.com/kubernetes-sigs/kueue
  names=kueue-controller-manager labels=kueue images=kueue
  kueue.x-k8s.io/*
    a Workload, queue or flavor that is in use, and pods that Kueue counts
    nothing uses it any more, or the pod is finished
KubeRay operator | https://github.com/ray-project/kuberay
  names=kuberay-operator labels=kuberay-operator images=kuberay/operator
  ray.io/gcs-ft-redis-cleanup-finalizer
    a RayCluster's data in Redis
    a Job has deleted the data
an operator that is written with Kopf | https://kopf.readthedocs.io/en/stable/configuration/
  kopf.zalando.org/KopfFinalizerMarker
    what the deletion handler of that operator cleans up
    all its deletion handlers have succeeded
`;

import { type KnownFinalizer, setBy, workload } from './known-finalizer.ts';

const rancher = workload('Rancher', ['rancher', 'cattle-cluster-agent'], {
  labels: ['rancher', 'cattle-cluster-agent'],
  images: ['rancher/rancher'],
  mayRunElsewhere: true,
});
const clusterApiSource = 'https://github.com/kubernetes-sigs/cluster-api';

/** Set by what runs clusters, certificates, networks, virtual machines and platforms. */
export const platformFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'finalizer.acme.cert-manager.io',
    setBy: workload('cert-manager controller', ['cert-manager'], {
      labels: ['cert-manager'],
      images: ['cert-manager-controller'],
      leases: ['cert-manager-controller'],
    }),
    protects: 'the DNS record or HTTP solver of an ACME challenge',
    removedWhen: 'the challenge was cleaned up',
    source:
      'https://github.com/cert-manager/cert-manager/tree/master/pkg/controller/acmechallenges',
  },
  {
    name: 'istio-finalizer.install.istio.io',
    setBy: workload('Istio operator (not part of Istio since 1.24)', ['istio-operator'], {
      labels: ['istio-operator'],
    }),
    protects: 'the control plane that an IstioOperator installed',
    removedWhen: 'the control plane is uninstalled',
    source: 'https://github.com/istio/istio',
  },
  {
    name: 'kiali.io/finalizer',
    setBy: workload('Kiali operator', ['kiali-operator'], { labels: ['kiali-operator'] }),
    protects: 'the Kiali server that a Kiali resource installed',
    removedWhen: 'the server is uninstalled',
    source: 'https://github.com/kiali/kiali-operator',
  },
  {
    name: 'controller.cattle.io/*',
    setBy: rancher,
    protects: "what Rancher keeps for the object, such as a namespace's roles",
    removedWhen: 'Rancher has cleaned up, which it does only while the cluster is managed by it',
    source: 'https://github.com/rancher/rancher',
  },
  {
    name: 'wrangler.cattle.io/*',
    setBy: rancher,
    protects: 'what a controller of Rancher, Fleet or Harvester keeps for the object',
    removedWhen: 'that controller has cleaned up',
    source: 'https://github.com/rancher/wrangler',
  },
  ...setBy(
    workload('Cluster API controllers', ['capi-controller-manager'], {
      labels: ['cluster-api'],
      images: ['cluster-api-controller'],
    }),
    clusterApiSource,
    {
      'cluster.cluster.x-k8s.io': {
        protects: 'the machines and infrastructure of a Cluster',
        removedWhen: 'its machines, control plane and infrastructure are gone',
      },
      'machine.cluster.x-k8s.io': {
        protects: 'the machine behind a Machine, and its Node',
        removedWhen: 'the node is drained and the infrastructure is gone',
      },
      'cluster.x-k8s.io/*': {
        protects: 'the machines of a MachineDeployment or MachineSet',
        removedWhen: 'its machines are gone',
      },
    },
  ),
  {
    name: 'kubeadm.controlplane.cluster.x-k8s.io',
    setBy: workload('Cluster API kubeadm control plane provider', [
      'capi-kubeadm-control-plane-controller-manager',
    ]),
    protects: 'the control plane machines of a Cluster',
    removedWhen: 'the other machines and then those of the control plane are gone',
    source: clusterApiSource,
  },
  {
    name: '*.infrastructure.cluster.x-k8s.io',
    setBy: workload('Cluster API infrastructure provider', ['cap*-controller-manager'], {
      oneOfMany: true,
    }),
    protects: 'networks, machines and disks at a cloud',
    removedWhen: 'they were deleted at the cloud',
    source: 'https://github.com/kubernetes-sigs/cluster-api-provider-aws',
  },
  {
    name: 'baremetalhost.metal3.io',
    setBy: workload('Metal3 baremetal operator', ['baremetal-operator-controller-manager'], {
      images: ['baremetal-operator'],
    }),
    protects: 'a host that is provisioned',
    removedWhen: 'the host is deprovisioned and powered off',
    source: 'https://github.com/metal3-io/baremetal-operator',
  },
  ...setBy(
    workload('Tigera operator (Calico)', ['tigera-operator'], {
      labels: ['tigera-operator'],
      images: ['tigera/operator'],
    }),
    'https://github.com/tigera/operator',
    {
      'tigera.io/operator-cleanup': {
        protects: 'the network of the cluster while Calico is being removed',
        removedWhen: "Calico's components are removed in order",
      },
      'tigera.io/cni-protector': {
        protects: 'the roles that the Calico CNI plugin needs to tear down pods',
        removedWhen: 'the calico-node pods are gone',
      },
    },
  ),
  {
    name: 'gateway-exists-finalizer.gateway.networking.k8s.io*',
    setBy: workload('the implementation of that GatewayClass', ['envoy-gateway'], {
      mayRunElsewhere: true,
      oneOfMany: true,
    }),
    protects: 'a GatewayClass that Gateways use',
    removedWhen: 'no Gateway names the class',
    source: 'https://gateway-api.sigs.k8s.io/reference/spec/',
  },
  ...setBy(
    workload('KubeVirt', ['virt-controller', 'virt-operator'], {
      labels: ['virt-controller', 'kubevirt'],
    }),
    'https://github.com/kubevirt/kubevirt',
    {
      'kubevirt.io/*': {
        protects: 'a virtual machine that runs',
        removedWhen: 'its instance is stopped and gone',
      },
      foregroundDeleteVirtualMachine: {
        protects: 'a virtual machine instance that still runs on a node',
        removedWhen: 'virt-handler has stopped it and virt-controller has seen that',
      },
    },
  ),
  {
    name: 'operator.cdi.kubevirt.io',
    setBy: workload('KubeVirt CDI operator', ['cdi-operator'], { labels: ['cdi-operator'] }),
    protects: 'the installation of the containerized data importer',
    removedWhen: 'it is uninstalled',
    source: 'https://github.com/kubevirt/containerized-data-importer',
  },
  {
    name: 'hive.openshift.io/deprovision',
    setBy: workload('Hive', ['hive-controllers']),
    protects: 'the cloud resources of a cluster that Hive installed',
    removedWhen: 'the cluster was deprovisioned at its cloud',
    source: 'https://github.com/openshift/hive',
  },
  {
    name: 'machine.machine.openshift.io',
    setBy: workload('OpenShift machine controllers', ['machine-api-controllers'], {
      mayRunElsewhere: true,
    }),
    protects: 'the machine behind a Machine, and its Node',
    removedWhen: 'the node is drained and the machine was deleted',
    source: 'https://github.com/openshift/machine-api-operator',
  },
  {
    name: 'imageregistry.operator.openshift.io/finalizer',
    setBy: workload('OpenShift image registry operator', ['cluster-image-registry-operator'], {
      mayRunElsewhere: true,
    }),
    protects: 'the registry and its storage',
    removedWhen: 'both are removed',
    source: 'https://github.com/openshift/cluster-image-registry-operator',
  },
  {
    name: 'ingresscontroller.operator.openshift.io/*',
    setBy: workload('OpenShift ingress operator', ['ingress-operator'], { mayRunElsewhere: true }),
    protects: 'the router, its load balancer and its DNS records',
    removedWhen: 'they are removed',
    source: 'https://github.com/openshift/cluster-ingress-operator',
  },
  {
    name: 'cloudcredential.openshift.io/deprovision',
    setBy: workload('OpenShift cloud credential operator', ['cloud-credential-operator'], {
      mayRunElsewhere: true,
    }),
    protects: 'credentials that were minted at the cloud',
    removedWhen: 'they were deleted at the cloud',
    source: 'https://github.com/openshift/cloud-credential-operator',
  },
  {
    name: 'operators.coreos.com/csv-cleanup',
    setBy: workload('Operator Lifecycle Manager', ['olm-operator'], { labels: ['olm-operator'] }),
    protects: 'cluster roles, webhooks and API services of an installed operator',
    removedWhen: 'they are deleted',
    source: 'https://github.com/operator-framework/operator-lifecycle-manager',
  },
  {
    name: 'karmada.io/*',
    setBy: workload('Karmada controllers', ['karmada-controller-manager', 'karmada-agent'], {
      mayRunElsewhere: true,
    }),
    protects: 'what was distributed to member clusters',
    removedWhen: 'it is removed from the member clusters',
    source: 'https://github.com/karmada-io/karmada',
  },
  ...setBy(
    workload('External Secrets operator', ['external-secrets'], {
      labels: ['external-secrets'],
      images: ['external-secrets/external-secrets'],
    }),
    'https://github.com/external-secrets/external-secrets',
    {
      'pushsecret.externalsecrets.io/finalizer': {
        protects: 'secrets that were pushed to a provider',
        removedWhen: 'they were deleted at the provider',
      },
      'externalsecrets.external-secrets.io/externalsecret-cleanup': {
        protects: 'the Secret that an ExternalSecret made',
        removedWhen: 'the Secret is cleaned up as the creation policy says',
      },
    },
  ),
  {
    name: '*.secrets.hashicorp.com/finalizer',
    setBy: workload('Vault Secrets operator', ['vault-secrets-operator-controller-manager'], {
      labels: ['vault-secrets-operator'],
      images: ['vault-secrets-operator'],
    }),
    protects: 'leases and tokens in Vault',
    removedWhen: 'they were revoked',
    source: 'https://github.com/hashicorp/vault-secrets-operator',
  },
  {
    name: 'finalizers.gatekeeper.sh/*',
    setBy: workload('OPA Gatekeeper', ['gatekeeper-controller-manager', 'gatekeeper-audit'], {
      labels: ['gatekeeper'],
    }),
    protects: 'policies that are loaded (set by old versions only)',
    removedWhen: 'the policy is unloaded',
    source: 'https://github.com/open-policy-agent/gatekeeper',
  },
];

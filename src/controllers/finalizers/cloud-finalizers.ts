import type { FinalizerController, KnownFinalizer } from './known-finalizer.ts';

const awsLoadBalancer: FinalizerController = {
  title: 'AWS Load Balancer Controller',
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['aws-load-balancer-controller'],
  labels: ['aws-load-balancer-controller'],
  images: ['aws-load-balancer-controller'],
  leases: ['aws-load-balancer-controller-leader'],
};
const gke: FinalizerController = {
  title: "GKE's load balancer controller (GLBC), which may run outside of the cluster",
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['l7-lb-controller', 'glbc'],
  images: ['ingress-gce'],
};
const karpenter: FinalizerController = {
  title: 'Karpenter',
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['karpenter'],
  labels: ['karpenter'],
  images: ['karpenter'],
  leases: ['karpenter-leader-election'],
};
const configConnector: FinalizerController = {
  title: 'Config Connector',
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['cnrm-controller-manager', 'cnrm-deletiondefender'],
  images: ['cnrm'],
};

const awsConstants =
  'https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/pkg/shared_constants/finalizers.go';
const gkeConstants =
  'https://github.com/kubernetes/ingress-gce/blob/master/pkg/utils/common/finalizer.go';

/**
 * Set by cloud providers' controllers: load balancers, machines, resources outside of the cluster.
 */
export const cloudFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'ingress.k8s.aws/resources',
    setBy: awsLoadBalancer,
    protects: 'the load balancer of an Ingress in AWS',
    removedWhen: 'the load balancer and its rules were deleted in AWS',
    source: awsConstants,
  },
  {
    name: 'group.ingress.k8s.aws/*',
    setBy: awsLoadBalancer,
    protects: 'the load balancer that a group of Ingresses shares',
    removedWhen: "the Ingress's rules were removed from the shared load balancer",
    source: awsConstants,
  },
  {
    name: 'service.k8s.aws/resources',
    setBy: awsLoadBalancer,
    protects: 'the network load balancer of a Service in AWS',
    removedWhen: 'the load balancer was deleted in AWS',
    source: awsConstants,
  },
  {
    name: 'gateway.k8s.aws/*',
    setBy: awsLoadBalancer,
    protects: 'the load balancer of a Gateway, or a configuration that a Gateway uses',
    removedWhen: 'the load balancer was deleted, or no Gateway uses the configuration',
    source: awsConstants,
  },
  {
    name: 'elbv2.k8s.aws/resources',
    setBy: awsLoadBalancer,
    protects: 'targets that a TargetGroupBinding registered in AWS',
    removedWhen: 'its targets were deregistered',
    source: 'https://github.com/kubernetes-sigs/aws-load-balancer-controller',
  },
  {
    name: 'networking.k8s.aws/*',
    setBy: {
      title: 'Amazon network policy controller',
      runsIn: 'workload',
      mayRunElsewhere: true,
      names: ['amazon-network-policy-controller-k8s'],
      images: ['amazon-network-policy-controller'],
    },
    protects: 'what a network policy set up on the nodes',
    removedWhen: 'the PolicyEndpoints of the policy are deleted',
    source: 'https://github.com/aws/amazon-network-policy-controller-k8s',
  },
  {
    name: 'finalizers.*.services.k8s.aws/*',
    setBy: {
      title: 'AWS controller for Kubernetes (ACK) of that service',
      runsIn: 'workload',
      oneOfMany: true,
      names: ['ack-*-controller'],
      images: ['aws-controllers-k8s'],
    },
    protects: 'the resource in AWS that the object stands for',
    removedWhen: 'the resource was deleted in AWS',
    source: 'https://github.com/aws-controllers-k8s/runtime',
  },
  {
    name: 'networking.gke.io/ingress-finalizer',
    setBy: gke,
    protects: 'the load balancer of an Ingress in Google Cloud',
    removedWhen: 'the load balancer was deleted',
    source: gkeConstants,
  },
  {
    name: 'networking.gke.io/ingress-finalizer-V2',
    setBy: gke,
    protects: 'the load balancer of an Ingress in Google Cloud',
    removedWhen: 'the load balancer was deleted',
    source: gkeConstants,
  },
  {
    name: 'networking.gke.io/neg-finalizer',
    setBy: gke,
    protects: 'the network endpoint groups of a Service',
    removedWhen: 'the endpoint groups were deleted',
    source: gkeConstants,
  },
  {
    name: 'gke.networking.io/l4-*',
    setBy: gke,
    protects: 'the internal or external load balancer of a Service in Google Cloud',
    removedWhen: 'the load balancer was deleted',
    source: gkeConstants,
  },
  {
    name: 'cnrm.cloud.google.com/finalizer',
    setBy: configConnector,
    protects: 'the resource in Google Cloud that the object stands for',
    removedWhen: 'the resource was deleted, or is to be abandoned',
    source: 'https://github.com/GoogleCloudPlatform/k8s-config-connector',
  },
  {
    name: 'cnrm.cloud.google.com/deletion-defender',
    setBy: configConnector,
    protects: "resources in Google Cloud, while Config Connector's CRDs are being deleted",
    removedWhen: 'the deletion defender has seen that it is the object that is to go, not its CRD',
    source: 'https://github.com/GoogleCloudPlatform/k8s-config-connector',
  },
  {
    name: 'serviceoperator.azure.com/finalizer',
    setBy: {
      title: 'Azure Service Operator',
      runsIn: 'workload',
      names: ['azureserviceoperator-controller-manager'],
      labels: ['azure-service-operator'],
      images: ['azureserviceoperator'],
    },
    protects: 'the resource in Azure that the object stands for',
    removedWhen: 'the resource was deleted in Azure',
    source: 'https://github.com/Azure/azure-service-operator',
  },
  {
    name: 'karpenter.sh/termination',
    setBy: karpenter,
    protects: 'the machine behind a Node or NodeClaim, and the pods on it',
    removedWhen: 'the node is drained, its volumes are detached and the machine is terminated',
    source: 'https://github.com/kubernetes-sigs/karpenter',
  },
  {
    name: 'k8s.ngrok.com/finalizer',
    setBy: {
      title: 'ngrok operator',
      runsIn: 'workload',
      names: ['ngrok-operator-manager', 'ngrok-operator'],
      labels: ['ngrok-operator'],
      images: ['ngrok-operator'],
    },
    protects: 'endpoints and domains at ngrok',
    removedWhen: 'they were deleted at ngrok',
    source: 'https://github.com/ngrok/ngrok-operator',
  },
  {
    name: 'tailscale.com/finalizer',
    setBy: {
      title: 'Tailscale operator',
      runsIn: 'workload',
      names: ['tailscale-operator'],
      labels: ['tailscale-operator'],
      images: ['tailscale/k8s-operator'],
    },
    protects: 'the device of a Service, Ingress or Connector in the tailnet',
    removedWhen: 'the proxy and its device were deleted',
    source: 'https://github.com/tailscale/tailscale/tree/main/cmd/k8s-operator',
  },
];

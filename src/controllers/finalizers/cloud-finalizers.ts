import { type KnownFinalizer, setBy, workload } from './known-finalizer.ts';

const awsLoadBalancer = workload('AWS Load Balancer Controller', ['aws-load-balancer-controller'], {
  mayRunElsewhere: true,
  labels: ['aws-load-balancer-controller'],
  images: ['aws-load-balancer-controller'],
  leases: ['aws-load-balancer-controller-leader'],
});

/**
 * Set by cloud providers' controllers: load balancers, machines, resources outside of the cluster.
 */
export const cloudFinalizers: readonly KnownFinalizer[] = [
  ...setBy(
    awsLoadBalancer,
    'https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/pkg/shared_constants/finalizers.go',
    {
      'ingress.k8s.aws/resources': {
        protects: 'the load balancer of an Ingress in AWS',
        removedWhen: 'the load balancer and its rules were deleted in AWS',
      },
      'group.ingress.k8s.aws/*': {
        protects: 'the load balancer that a group of Ingresses shares',
        removedWhen: "the Ingress's rules were removed from the shared load balancer",
      },
      'service.k8s.aws/resources': {
        protects: 'the network load balancer of a Service in AWS',
        removedWhen: 'the load balancer was deleted in AWS',
      },
      'gateway.k8s.aws/*': {
        protects: 'the load balancer of a Gateway, or a configuration that a Gateway uses',
        removedWhen: 'the load balancer was deleted, or no Gateway uses the configuration',
      },
    },
  ),
  {
    name: 'elbv2.k8s.aws/resources',
    setBy: awsLoadBalancer,
    protects: 'targets that a TargetGroupBinding registered in AWS',
    removedWhen: 'its targets were deregistered',
    source: 'https://github.com/kubernetes-sigs/aws-load-balancer-controller',
  },
  {
    name: 'networking.k8s.aws/*',
    setBy: workload('Amazon network policy controller', ['amazon-network-policy-controller-k8s'], {
      mayRunElsewhere: true,
      images: ['amazon-network-policy-controller'],
    }),
    protects: 'what a network policy set up on the nodes',
    removedWhen: 'the PolicyEndpoints of the policy are deleted',
    source: 'https://github.com/aws/amazon-network-policy-controller-k8s',
  },
  {
    name: 'finalizers.*.services.k8s.aws/*',
    setBy: workload('AWS controller for Kubernetes (ACK) of that service', ['ack-*-controller'], {
      oneOfMany: true,
      images: ['aws-controllers-k8s'],
    }),
    protects: 'the resource in AWS that the object stands for',
    removedWhen: 'the resource was deleted in AWS',
    source: 'https://github.com/aws-controllers-k8s/runtime',
  },
  ...setBy(
    workload(
      "GKE's load balancer controller (GLBC), which may run outside of the cluster",
      ['l7-lb-controller', 'glbc'],
      { mayRunElsewhere: true, images: ['ingress-gce'] },
    ),
    'https://github.com/kubernetes/ingress-gce/blob/master/pkg/utils/common/finalizer.go',
    {
      'networking.gke.io/ingress-finalizer': {
        protects: 'the load balancer of an Ingress in Google Cloud',
        removedWhen: 'the load balancer was deleted',
      },
      'networking.gke.io/ingress-finalizer-V2': {
        protects: 'the load balancer of an Ingress in Google Cloud',
        removedWhen: 'the load balancer was deleted',
      },
      'networking.gke.io/neg-finalizer': {
        protects: 'the network endpoint groups of a Service',
        removedWhen: 'the endpoint groups were deleted',
      },
      'gke.networking.io/l4-*': {
        protects: 'the internal or external load balancer of a Service in Google Cloud',
        removedWhen: 'the load balancer was deleted',
      },
    },
  ),
  ...setBy(
    workload('Config Connector', ['cnrm-controller-manager', 'cnrm-deletiondefender'], {
      mayRunElsewhere: true,
      images: ['cnrm'],
    }),
    'https://github.com/GoogleCloudPlatform/k8s-config-connector',
    {
      'cnrm.cloud.google.com/finalizer': {
        protects: 'the resource in Google Cloud that the object stands for',
        removedWhen: 'the resource was deleted, or is to be abandoned',
      },
      'cnrm.cloud.google.com/deletion-defender': {
        protects: "resources in Google Cloud, while Config Connector's CRDs are being deleted",
        removedWhen:
          'the deletion defender has seen that it is the object that is to go, not its CRD',
      },
    },
  ),
  {
    name: 'serviceoperator.azure.com/finalizer',
    setBy: workload('Azure Service Operator', ['azureserviceoperator-controller-manager'], {
      labels: ['azure-service-operator'],
      images: ['azureserviceoperator'],
    }),
    protects: 'the resource in Azure that the object stands for',
    removedWhen: 'the resource was deleted in Azure',
    source: 'https://github.com/Azure/azure-service-operator',
  },
  {
    name: 'karpenter.sh/termination',
    setBy: workload('Karpenter', ['karpenter'], {
      mayRunElsewhere: true,
      labels: ['karpenter'],
      images: ['karpenter'],
      leases: ['karpenter-leader-election'],
    }),
    protects: 'the machine behind a Node or NodeClaim, and the pods on it',
    removedWhen: 'the node is drained, its volumes are detached and the machine is terminated',
    source: 'https://github.com/kubernetes-sigs/karpenter',
  },
  {
    name: 'k8s.ngrok.com/finalizer',
    setBy: workload('ngrok operator', ['ngrok-operator-manager', 'ngrok-operator'], {
      labels: ['ngrok-operator'],
      images: ['ngrok-operator'],
    }),
    protects: 'endpoints and domains at ngrok',
    removedWhen: 'they were deleted at ngrok',
    source: 'https://github.com/ngrok/ngrok-operator',
  },
  {
    name: 'tailscale.com/finalizer',
    setBy: workload('Tailscale operator', ['tailscale-operator'], {
      labels: ['tailscale-operator'],
      images: ['tailscale/k8s-operator'],
    }),
    protects: 'the device of a Service, Ingress or Connector in the tailnet',
    removedWhen: 'the proxy and its device were deleted',
    source: 'https://github.com/tailscale/tailscale/tree/main/cmd/k8s-operator',
  },
];

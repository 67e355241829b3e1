import { controlledBy, type Draw, type Loose, times } from './draw.ts';

const namespace = 'clean-b';
const leader = 'control-plane.alpha.kubernetes.io/leader';

/** Endpoints and EndpointSlices with and without the Service that they are for. */
export function services(draw: Draw): Loose[] {
  return times(16, (index) => group(draw, index)).flat();
}

function group(draw: Draw, index: number): Loose[] {
  const { chance, one, seed } = draw;
  const name = `service-${index}`;
  const kind = one(['none', 'selector', 'plain', 'external']);
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, uid: `service-${seed}-${index}` },
    spec: {
      ...(kind === 'external'
        ? { type: 'ExternalName', externalName: 'example.com' }
        : { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] }),
      ...(kind !== 'plain' &&
        chance(kind === 'external' ? 0.5 : 1) && { selector: { app: 'none' } }),
      ports: [{ port: 80, protocol: 'TCP' }],
    },
  };
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name,
      namespace,
      uid: `endpoints-${seed}-${index}`,
      ...(chance(0.15) && { annotations: { [leader]: '{}' } }),
      ...(chance(0.15) && { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }),
    },
    subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }],
  };
  const hasEndpoints = chance(0.7);
  return [
    ...(kind === 'none' ? [] : [service]),
    ...(hasEndpoints ? [endpoints] : []),
    ...(chance(0.8) ? [slice(draw, `${name}-s`, service, 'endpointslice-controller.k8s.io')] : []),
    ...(hasEndpoints && chance(0.6)
      ? [slice(draw, `${name}-m`, endpoints, 'endpointslicemirroring-controller.k8s.io')]
      : []),
    ...(chance(0.2) ? [slice(draw, `${name}-h`, service, 'by-hand.example.com')] : []),
  ];
}

function slice({ chance, one }: Draw, name: string, owner: Loose, manager: string): Loose {
  const isMirror = owner.kind === 'Endpoints';
  const uid = !isMirror && chance(0.3) ? 'an-earlier-service' : owner.metadata.uid;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name,
      namespace,
      labels: {
        'kubernetes.io/service-name': owner.metadata.name,
        'endpointslice.kubernetes.io/managed-by': manager,
      },
      ownerReferences: controlledBy(owner, uid),
    },
    addressType: isMirror ? 'IPv4' : one(['IPv4', 'IPv4', 'FQDN', 'IPv6']),
    endpoints: [],
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
  };
}

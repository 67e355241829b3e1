import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { asObjects, type Draw, drawFrom, namespaces, type Part } from './draw.ts';
import { jobs, ownersOfJobs } from './jobs.ts';
import { leases } from './leases.ts';
import { nodes, pods } from './pods.ts';
import { podCertificateRequests, signingRequests } from './requests.ts';
import { resourceClaims } from './resource-claims.ts';
import { secrets } from './secrets.ts';
import { services } from './services.ts';
import { volumes } from './volumes.ts';
import { deployments, setsWithRevisions } from './workloads.ts';

const parts: readonly Part[] = [
  nodes,
  pods,
  jobs,
  ownersOfJobs,
  signingRequests,
  podCertificateRequests,
  volumes,
  secrets,
  services,
  deployments,
  setsWithRevisions,
  leases,
  resourceClaims,
  () => namespaces.map(namespace),
];

function namespace(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
    spec: { finalizers: ['kubernetes'] },
  };
}

/** A cluster with something for every collector to do and to leave, around `now` in epoch milliseconds. */
export function collectorCluster(seed: number, now: number): KubeObject[] {
  const draw: Draw = drawFrom(seed, now);
  return asObjects(parts.flatMap((part) => part(draw)));
}

import { type Draw, hour, type Loose, minute, times } from './draw.ts';

/** Leases of API servers that live, that are gone, and of others. */
export function leases({ chance, one, ago }: Draw): Loose[] {
  return times(8, (index) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: `lease-${index}`,
      namespace: chance(0.85) ? 'kube-system' : 'clean-a',
      ...(chance(0.75) && {
        labels: { 'apiserver.kubernetes.io/identity': chance(0.85) ? 'kube-apiserver' : 'other' },
      }),
    },
    spec: {
      ...(chance(0.85) && { leaseDurationSeconds: 3600 }),
      ...(chance(0.85) && {
        renewTime: `${ago(one([30 * minute, 2 * hour, 48 * hour])).slice(0, -1)}.000000Z`,
      }),
    },
  }));
}

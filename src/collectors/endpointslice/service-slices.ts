import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../collector.ts';
import { controllerOf, deletion, nextSync } from '../decide.ts';

export const managedBy = 'endpointslice.kubernetes.io/managed-by';
export const serviceName = 'kubernetes.io/service-name';
/** Where a Service does not say its families, as those of a cluster before dual stack. */
const anyFamily: readonly string[] = ['IPv4', 'IPv6'];

/** Slices that no longer fit their Service; those of a Service that is gone have it as their owner (OTH-1). */
export function serviceSlices(view: ClusterView, now: number): Decision[] {
  return view.all('endpointslices.discovery.k8s.io').flatMap((slice) => {
    const name = slice.labels?.[serviceName];
    if (slice.labels?.[managedBy] !== 'endpointslice-controller.k8s.io' || !name) return [];
    const service = view.at('services', slice.namespace, name);
    if (!service || !hasSelector(service)) return [];
    // Such a name stands for no pods.
    if (service.facts?.serviceType === 'ExternalName') return [];
    const because = misfit(slice, service);
    if (!because) return [];
    return [deletion('endpointslice', slice, { ...nextSync(now), because, rule: 'OTH-1' })];
  });
}

export function hasSelector({ facts }: ObjectRecord): boolean {
  return Object.keys(facts?.selector?.matchLabels ?? {}).length > 0;
}

function misfit(slice: ObjectRecord, service: ObjectRecord): string | undefined {
  if (controllerOf(slice)?.uid !== service.uid) {
    return `it is labelled as one of Service ${service.name}, but owned by another`;
  }
  const { addressType } = slice.facts ?? {};
  const families = service.facts?.ipFamilies ?? anyFamily;
  if (addressType === undefined || families.includes(addressType)) return undefined;
  return `its address type ${addressType} is none of Service ${service.name}, which has ${families.join(' and ')}`;
}

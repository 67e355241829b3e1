import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../collector.ts';
import { deletion, nextSync } from '../decide.ts';
import { leaderAnnotation } from './endpoints.ts';
import { hasSelector, managedBy, serviceName } from './service-slices.ts';

/** Slices mirrored from Endpoints that are no longer mirrored (OTH-2). */
export function mirroredSlices(view: ClusterView, now: number): Decision[] {
  return view.all('endpointslices.discovery.k8s.io').flatMap((slice) => {
    const name = slice.labels?.[serviceName];
    if (slice.labels?.[managedBy] !== 'endpointslicemirroring-controller.k8s.io' || !name)
      return [];
    const because = whyNotMirrored(view, slice.namespace, name);
    if (!because) return [];
    return [deletion('endpointslice', slice, { ...nextSync(now), because, rule: 'OTH-2' })];
  });
}

function whyNotMirrored(view: ClusterView, namespace: string, name: string): string | undefined {
  const endpoints = view.at('endpoints', namespace, name);
  if (!endpoints) {
    return view.covers('endpoints', namespace, name) ? `Endpoints ${name} are gone` : undefined;
  }
  if (endpoints.labels?.['endpointslice.kubernetes.io/skip-mirror'] === 'true') {
    return `Endpoints ${name} have the label endpointslice.kubernetes.io/skip-mirror`;
  }
  if (endpoints.annotations?.[leaderAnnotation] !== undefined) {
    return `Endpoints ${name} serve an election of leaders`;
  }
  const service = view.at('services', namespace, name);
  if (service) return hasSelector(service) ? `Service ${name} has a selector now` : undefined;
  return view.covers('services', namespace, name) ? `Service ${name} is gone` : undefined;
}

import { isEmptySelector } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Controller, Decision } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';

/** EndpointSlices of Services, those mirrored from Endpoints, and Endpoints themselves (OTH-1 to OTH-4). */
export const endpointSlice: Controller = {
  id: 'endpointslice',
  controllers: [
    'endpointslice-controller',
    'endpointslice-mirroring-controller',
    'endpoints-controller',
  ],
  reads: ['endpointslices.discovery.k8s.io', 'services', 'endpoints'],
  decide: (view, _settings, now) => [
    ...serviceSlices(view, now),
    ...mirroredSlices(view, now),
    ...orphanedEndpoints(view, now),
  ],
};

export const managedBy = 'endpointslice.kubernetes.io/managed-by';
export const serviceName = 'kubernetes.io/service-name';
/** Who manages a slice: of a Service, or mirrored from its Endpoints. */
export const ofServices = 'endpointslice-controller.k8s.io';
export const ofEndpoints = 'endpointslicemirroring-controller.k8s.io';
/** Used where a Service has no ipFamilies, as in clusters before dual stack. */
const anyFamily: readonly string[] = ['IPv4', 'IPv6'];

/** Slices that no longer fit their Service; those of a Service that is gone have it as their owner (OTH-1). */
function serviceSlices(view: ClusterView, now: number): Decision[] {
  return unfitSlices(view, now, ofServices, 'OTH-1', (slice, name) => {
    const service = view.at('services', slice.namespace, name);
    // A Service of this type selects no pods.
    if (!service || service.facts?.serviceType === 'ExternalName') return undefined;
    if (isBeingDeleted(slice) || !hasSelector(service)) return undefined;
    return misfit(slice, service);
  });
}

function unfitSlices(
  view: ClusterView,
  now: number,
  manager: string,
  rule: string,
  whyUnfit: (slice: ObjectRecord, service: string) => string | undefined,
): Decision[] {
  return view.all('endpointslices.discovery.k8s.io').flatMap((slice) => {
    const name = slice.labels?.[serviceName];
    if (slice.labels?.[managedBy] !== manager || !name) return [];
    const because = whyUnfit(slice, name);
    if (!because) return [];
    const service = view.at('services', slice.namespace, name);
    // What is written to a slice is looked at a second later, and not at all when the Service is gone by then.
    const confidence = service && isBeingDeleted(service) ? 'likely' : 'certain';
    return [deletion('endpointslice', slice, { ...nextSync(now), because, rule, confidence })];
  });
}

export function hasSelector({ facts }: ObjectRecord): boolean {
  return !isEmptySelector(facts?.selector);
}

function misfit(slice: ObjectRecord, service: ObjectRecord): string | undefined {
  // ownedBy, k8s.io/endpointslice utils.go: any reference, be it the controller's or not.
  const isOwned = slice.ownerReferences.some(
    ({ uid, kind, apiVersion }) => uid === service.uid && kind === 'Service' && apiVersion === 'v1',
  );
  if (!isOwned) {
    return `it is labelled as one of Service ${service.name}, but not owned by it`;
  }
  const { addressType } = slice.facts ?? {};
  const families = service.facts?.ipFamilies ?? anyFamily;
  if (addressType === undefined || families.includes(addressType)) return undefined;
  return `its address type ${addressType} is none of Service ${service.name}, which has ${families.join(' and ')}`;
}

/** Slices mirrored from Endpoints that are no longer mirrored (OTH-2). */
function mirroredSlices(view: ClusterView, now: number): Decision[] {
  return unfitSlices(view, now, ofEndpoints, 'OTH-2', ({ namespace }, name) =>
    whyNotMirrored(view, namespace, name),
  );
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

const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Endpoints without a Service, made by hand or not, go when the controllers next start (OTH-3, OTH-4). */
function orphanedEndpoints(view: ClusterView, now: number): Decision[] {
  return view
    .all('endpoints')
    .filter(
      ({ namespace, name, annotations }) =>
        annotations?.[leaderAnnotation] === undefined &&
        view.covers('services', namespace, name) &&
        !view.at('services', namespace, name),
    )
    .map((endpoints) =>
      deletion('endpointslice', endpoints, {
        notBefore: now,
        notAfter: undefined,
        confidence: 'likely',
        because: `there is no Service ${endpoints.name}; endpoints-controller deletes it at the next start or change of leader of kube-controller-manager`,
        rule: 'OTH-4',
      }),
    );
}

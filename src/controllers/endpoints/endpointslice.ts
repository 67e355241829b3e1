import { isEmptySelector } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { endpointSlices } from '../../kube/well-known-kinds.ts';
import { type ClusterView, indexKind, type Keys, ownName } from '../cluster-view.ts';
import type {
  Change,
  Decision,
  Kept,
  SyncController,
  SyncedController,
  SyncFacts,
  SyncInput,
} from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';

export const managedBy = 'endpointslice.kubernetes.io/managed-by';
export const serviceName = 'kubernetes.io/service-name';
/** Who manages a slice: of a Service, or mirrored from its Endpoints. */
export const ofServices = 'endpointslice-controller.k8s.io';
export const ofEndpoints = 'endpointslicemirroring-controller.k8s.io';
/** Used where a Service has no ipFamilies, as in clusters before dual stack. */
const anyFamily: readonly string[] = ['IPv4', 'IPv6'];

/** A Service, its slices and its Endpoints. */
const byService: Keys = { services: ownName, endpoints: ownName, [endpointSlices]: serviceKeys };
const slicesByService = indexKind(endpointSlices, serviceKeys);

/** `namespace/name` of the Service that a slice is of. */
function serviceKeys({ namespace, labels }: ObjectRecord): readonly string[] {
  const service = labels?.[serviceName];
  return service === undefined ? [] : [`${namespace}/${service}`];
}

/** The same of the Pods that it leads to. */
function podsOf({ namespace, facts }: ObjectRecord): readonly string[] {
  return (facts?.endpoints ?? []).flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? `${namespace}/${targetRef.name}` : [],
  );
}

/** Slices of one manager that may not fit their Service. */
function mayBeUnfit(manager: string) {
  return (slice: ObjectRecord, { view }: SyncFacts): boolean => {
    const { labels, namespace, ownerReferences } = slice;
    if (labels?.[managedBy] !== manager) return false;
    const service = view.at('services', namespace, labels[serviceName] ?? '');
    // The common case, decided early: the Service owns the slice, and there is only one address family.
    const [owner] = ownerReferences;
    const isPlain = slice.facts?.addressType === 'IPv4' && service?.facts?.ipFamilies === undefined;
    return !(isPlain && owner?.controller === true && owner.uid === service?.uid);
  };
}

function isRemoval({ before, after }: Change): boolean {
  return before !== undefined && !after;
}

/** Slices that no longer fit their Service (OTH-1). A deleted Service owned its slices: the garbage collector deletes these. */
const fittingSlices: SyncController = {
  runsAs: 'endpointslice-controller',
  syncs: endpointSlices,
  sync: (slice, by) =>
    unfit(slice, by, ofServices, 'OTH-1', (name) => {
      const service = by.view.at('services', slice.namespace, name);
      // A Service of this type selects no pods.
      if (!service || service.facts?.serviceType === 'ExternalName') return undefined;
      if (isBeingDeleted(slice) || !hasSelector(service)) return undefined;
      return misfit(slice, service);
    }),
  watches: [endpointSlices, 'services'],
  needsSync: mayBeUnfit(ofServices),
  keys: byService,
  links: byService,
  // endpointSliceChangeMinSyncDelay, pkg/controller/endpointslice/endpointslice_controller.go.
  delay: 1_000,
};

function unfit(
  slice: ObjectRecord,
  { view, now }: SyncInput,
  manager: string,
  rule: string,
  whyUnfit: (service: string) => string | undefined,
): Decision[] {
  const name = slice.labels?.[serviceName];
  if (slice.labels?.[managedBy] !== manager || !name) return [];
  const because = whyUnfit(name);
  if (!because) return [];
  const service = view.at('services', slice.namespace, name);
  // The controller syncs a Service a second after a write to its slice, and not at all if the Service was deleted by then.
  const confidence = service && isBeingDeleted(service) ? 'likely' : 'certain';
  return [deletion(endpointSlice.id, slice, { ...nextSync(now), because, rule, confidence })];
}

/**
 * A slice whose pods are all gone is deleted, unless it is the only one of its addresses, which becomes the
 * placeholder, or gets the endpoints of new pods: reconcileByPortMapping and Reconcile,
 * k8s.io/endpointslice/reconciler.go (OTH-5).
 */
const emptiedSlices: SyncController = {
  runsAs: 'endpointslice-controller',
  syncs: endpointSlices,
  sync(slice, { view, now, trigger }) {
    const { namespace, labels, facts } = slice;
    const name = labels?.[serviceName] ?? '';
    if (trigger !== 'change' || labels?.[managedBy] !== ofServices) return [];
    if (isBeingDeleted(slice) || !view.at('services', namespace, name)) return [];
    const others = view
      .index(slicesByService)
      .get(`${namespace}/${name}`)
      .filter((one) => one.labels?.[managedBy] === ofServices)
      .filter((one) => one !== slice && one.facts?.addressType === facts?.addressType);
    const targets = facts?.endpoints?.map(({ targetRef }) => targetRef?.name) ?? [];
    const isEmpty = targets.every((pod) => pod && !view.at('pods', namespace, pod));
    if (others.length === 0 || targets.length === 0 || !isEmpty) return [];
    const because = `its Pods were deleted, and Service ${name} has ${others.length} more slices: it is deleted unless a new Pod takes its place`;
    return [
      deletion(endpointSlice.id, slice, {
        ...nextSync(now),
        because,
        confidence: 'unknown',
        rule: 'OTH-5',
      }),
    ];
  },
  watches: ['pods'],
  isIdleAtStart: true,
  needsSync: (slice) => slice.labels?.[managedBy] === ofServices && podsOf(slice).length > 0,
  keys: { pods: ownName, [endpointSlices]: podsOf },
  triggers: isRemoval,
  links: { pods: ownName, [endpointSlices]: podsOf },
};

/**
 * A Service that is deleted with `orphan` lets its slices go while it is there: a look at it in between, as when
 * one of its pods changes, deletes what it does not own (OTH-6; ownedBy in Reconcile, k8s.io/endpointslice/reconciler.go).
 */
const releasedSlices: SyncController = {
  runsAs: 'endpointslice-controller',
  syncs: endpointSlices,
  sync(slice, { view, now, trigger }) {
    const name = slice.labels?.[serviceName] ?? '';
    const service = view.at('services', slice.namespace, name);
    if (trigger !== 'change' || slice.labels?.[managedBy] !== ofServices) return [];
    if (isBeingDeleted(slice) || !service || !releasesSlices(service)) return [];
    const because = `Service ${name} is being deleted and does not need it any more: it is deleted if the controller syncs the Service before that, such as when one of its Pods changes`;
    return [
      deletion(endpointSlice.id, slice, {
        ...nextSync(now),
        because,
        confidence: 'unknown',
        rule: 'OTH-6',
      }),
    ];
  },
  watches: ['services'],
  isIdleAtStart: true,
  needsSync({ labels, namespace }, { view }) {
    if (labels?.[managedBy] !== ofServices) return false;
    const service = view.at('services', namespace, labels[serviceName] ?? '');
    return service !== undefined && releasesSlices(service);
  },
  keys: byService,
  triggers: ({ after }) => after !== undefined && releasesSlices(after),
  links: byService,
};

/** One that more finalizers hold is looked at in any case (OTH-1). */
function releasesSlices(service: ObjectRecord): boolean {
  const [first, ...more] = service.finalizers;
  const isLast = isBeingDeleted(service) && first === ORPHAN && more.length === 0;
  return isLast && service.facts?.serviceType !== 'ExternalName' && hasSelector(service);
}

function hasSelector({ facts }: ObjectRecord): boolean {
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
const mirroredSlices: SyncController = {
  runsAs: 'endpointslice-mirroring-controller',
  syncs: endpointSlices,
  sync: (slice, by) =>
    unfit(slice, by, ofEndpoints, 'OTH-2', (name) =>
      whyNotMirrored(by.view, slice.namespace, name),
    ),
  watches: [endpointSlices, 'services', 'endpoints'],
  needsSync: mayBeUnfit(ofEndpoints),
  keys: byService,
  links: byService,
};

function whyNotMirrored(view: ClusterView, namespace: string, name: string): string | undefined {
  const endpoints = view.at('endpoints', namespace, name);
  if (!endpoints) {
    return view.covers('endpoints', namespace, name) ? `Endpoints ${name} do not exist` : undefined;
  }
  if (endpoints.labels?.['endpointslice.kubernetes.io/skip-mirror'] === 'true') {
    return `Endpoints ${name} have the label endpointslice.kubernetes.io/skip-mirror`;
  }
  if (endpoints.annotations?.[leaderAnnotation] !== undefined) {
    return `Endpoints ${name} serve an election of leaders`;
  }
  const service = view.at('services', namespace, name);
  if (service) return hasSelector(service) ? `Service ${name} has a selector now` : undefined;
  return view.covers('services', namespace, name) ? `Service ${name} does not exist` : undefined;
}

const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/**
 * Endpoints are deleted with their Service. Endpoints without a Service, also those of users, are deleted when the controllers
 * start next (OTH-3, OTH-4).
 */
const orphanedEndpoints: SyncController = {
  runsAs: 'endpoints-controller',
  syncs: 'endpoints',
  sync(endpoints, { view, now, trigger }) {
    const { namespace, name, annotations } = endpoints;
    if (annotations?.[leaderAnnotation] !== undefined) return [];
    if (!view.covers('services', namespace, name) || view.at('services', namespace, name))
      return [];
    const times = { notBefore: now, notAfter: undefined };
    const because = `there is no Service ${name}`;
    if (trigger === 'settled') return [];
    if (trigger !== undefined) {
      const rule = trigger === 'start' ? 'OTH-4' : 'OTH-3';
      return [deletion(endpointSlice.id, endpoints, { ...times, because, rule })];
    }
    const why = `${because}; endpoints-controller deletes it at the next start or change of leader of kube-controller-manager`;
    return [
      deletion(endpointSlice.id, endpoints, {
        ...times,
        because: why,
        confidence: 'likely',
        rule: 'OTH-4',
      }),
    ];
  },
  watches: ['services'],
  needsSync: ({ namespace, name }, { view }) => !view.at('services', namespace, name),
  keys: byService,
  triggers: isRemoval,
  links: byService,
};

/** EndpointSlices of Services, those mirrored from Endpoints, and Endpoints themselves (OTH-1 to OTH-6). */
export const endpointSlice: SyncedController = {
  id: 'endpointslice',
  controllers: [
    'endpointslice-controller',
    'endpointslice-mirroring-controller',
    'endpoints-controller',
  ],
  reads: [endpointSlices, 'services', 'endpoints'],
  syncers: [fittingSlices, emptiedSlices, releasedSlices, mirroredSlices, orphanedEndpoints],
  kept: keptWithoutSelector,
};

/** Slices and Endpoints of a Service without a selector are passed over, as their user may have made them (OTH-1). */
function keptWithoutSelector(view: ClusterView, record: ObjectRecord): Kept | undefined {
  const { namespace, labels } = record;
  const isSlice = labels?.[managedBy] === ofServices;
  if (!isSlice && groupResourceOf(record.type) !== 'endpoints') return undefined;
  const name = isSlice ? (labels[serviceName] ?? '') : record.name;
  const service = view.at('services', namespace, name);
  if (!service?.facts || hasSelector(service)) return undefined;
  return {
    because: isSlice
      ? `Service ${name} has no selector any more: the EndpointSlice controller passes over its slices, and the garbage collector keeps them while the Service exists`
      : `Service ${name} has no selector: the Endpoints controller passes over its Endpoints, which are deleted with the Service`,
    next: 'Nothing deletes it: delete it manually.',
    rule: 'OTH-1',
  };
}

import { deletion, nextSync } from '../../controllers/decision.ts';
import {
  endpointSlice,
  hasSelector,
  managedBy,
  ofEndpoints,
  ofServices,
  serviceName,
} from '../../controllers/endpoints/endpointslice.ts';
import { isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type IndexKind, ownName } from './indexes.ts';
import { affectedByName, decidedBy, type KeyedController, type Links } from './keyed-controller.ts';

const { id } = endpointSlice;
const slices = 'endpointslices.discovery.k8s.io';
const services = 'services';
const endpoints = 'endpoints';
const slicesByService: IndexKind = { resource: slices, keysOf: serviceOf };
/** A Service, its slices and its Endpoints. */
const links: Links = { [services]: ownName, [endpoints]: ownName, [slices]: serviceOf };
const slicesByPod: IndexKind = { resource: slices, keysOf: podsOf };
/** endpointSliceChangeMinSyncDelay, pkg/controller/endpointslice/endpointslice_controller.go. */
const minSyncDelay = 1_000;

function sliceController(
  controller: KeyedController['controller'],
  manager: string,
  wanted: string,
  reads: readonly string[],
  pause = 0,
): KeyedController {
  return {
    id,
    pause,
    controller,
    kinds: [slices],
    reads,
    concerns: (slice, { state }) => {
      const { labels, namespace, ownerReferences } = slice;
      if (labels?.[managedBy] !== manager) return false;
      const service = state.at(services, namespace, labels[serviceName] ?? '');
      // The common case, decided early: the Service owns the slice, and there is only one address
      // family.
      const [owner] = ownerReferences;
      const isPlain =
        slice.facts?.addressType === 'IPv4' && service?.facts?.ipFamilies === undefined;
      return !(isPlain && owner?.controller === true && owner.uid === service?.uid);
    },
    affected: affectedByName(slicesByService, links),
    decide: decidedBy(endpointSlice, wanted),
    links,
  };
}

/**
 * Endpoints go when their Service does; those that have none anyway only when the controller starts
 * (OTH-3, OTH-4).
 */
const orphanedEndpoints: KeyedController = {
  id,
  controller: 'endpoints-controller',
  kinds: [endpoints],
  reads: [services],
  concerns: ({ namespace, name }, { state }) => !state.at(services, namespace, name),
  affected: ({ before, after }, { state }) =>
    before && !after ? [state.at(endpoints, before.namespace, before.name)] : [],
  decide: (record, cluster, occasion) => {
    const { isFirst, ranBefore } = occasion;
    if (isFirst && ranBefore) return [];
    return decidedBy(endpointSlice, 'OTH-4')(record, cluster, occasion).map((decision) => ({
      ...decision,
      confidence: 'certain',
      because: `there is no Service ${record.name}`,
      rule: isFirst ? 'OTH-4' : 'OTH-3',
    }));
  },
  links,
};

/**
 * A slice whose pods are all gone is deleted, unless it is the only one of its addresses, which becomes the
 * placeholder, or gets the endpoints of new pods: reconcileByPortMapping and Reconcile,
 * k8s.io/endpointslice/reconciler.go.
 */
const emptiedSlices: KeyedController = {
  id,
  controller: 'endpointslice-controller',
  kinds: [slices],
  reads: ['pods'],
  present: () => [],
  concerns: (slice) => slice.labels?.[managedBy] === ofServices && podsOf(slice).length > 0,
  affected: ({ before, after }, { indexes }) =>
    before && !after && isPod(before)
      ? indexes.of(slicesByPod).get(`${before.namespace}/${before.name}`)
      : [],
  decide: (slice, { state, indexes }, { now }) => {
    const { namespace, labels, facts } = slice;
    const name = labels?.[serviceName] ?? '';
    if (isBeingDeleted(slice) || !state.at(services, namespace, name)) return [];
    const beside = indexes
      .of(slicesByService)
      .get(`${namespace}/${name}`)
      .filter((one) => one.labels?.[managedBy] === ofServices)
      .filter((one) => one.facts?.addressType === facts?.addressType);
    const targets = facts?.endpoints?.map(({ targetRef }) => targetRef?.name) ?? [];
    const isEmpty = targets.every((pod) => pod && !state.at('pods', namespace, pod));
    if (beside.length < 2 || !isEmpty) return [];
    const because = `its pods are gone, and Service ${name} has ${beside.length - 1} more of it: it goes if no new pod gets its place`;
    const confidence = 'unknown';
    return [deletion(id, slice, { ...nextSync(now), because, confidence, rule: 'OTH-5' })];
  },
  links: { pods: ownName, [slices]: podsOf },
};

/**
 * A Service that is deleted with `orphan` lets its slices go while it is there: a look at it in between, as when
 * one of its pods changes, deletes what it does not own (OTH-6; ownedBy in Reconcile, k8s.io/endpointslice/reconciler.go).
 */
const slicesLetGo: KeyedController = {
  id,
  controller: 'endpointslice-controller',
  kinds: [slices],
  reads: [services],
  present: () => [],
  concerns: (slice, { state }) => {
    const { labels, namespace } = slice;
    if (labels?.[managedBy] !== ofServices) return false;
    const service = state.at(services, namespace, labels[serviceName] ?? '');
    return service !== undefined && letsGo(service);
  },
  affected: ({ after }, { indexes }) =>
    after && storedAs(after.type) === services && letsGo(after)
      ? indexes.of(slicesByService).get(`${after.namespace}/${after.name}`)
      : [],
  decide: (slice, _, { now }) => {
    if (isBeingDeleted(slice)) return [];
    const because = `Service ${slice.labels?.[serviceName]} lets it go before it is gone itself: it goes if the controller looks at the Service meanwhile, as when a pod of it changes`;
    const confidence = 'unknown';
    return [deletion(id, slice, { ...nextSync(now), because, confidence, rule: 'OTH-6' })];
  },
  links,
};

/** One that more finalizers hold is looked at in any case (OTH-1). */
function letsGo(service: ObjectRecord): boolean {
  const [first, ...more] = service.finalizers;
  const isLast = isBeingDeleted(service) && first === ORPHAN && more.length === 0;
  return isLast && service.facts?.serviceType !== 'ExternalName' && hasSelector(service);
}

/** `namespace/name` of the Service that a slice is of. */
function serviceOf({ namespace, labels }: ObjectRecord): readonly string[] {
  const service = labels?.[serviceName];
  return service === undefined ? [] : [`${namespace}/${service}`];
}

/** The same of the pods that it leads to. */
function podsOf({ namespace, facts }: ObjectRecord): readonly string[] {
  return (facts?.endpoints ?? []).flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? `${namespace}/${targetRef.name}` : [],
  );
}

export const endpointControllers: readonly KeyedController[] = [
  sliceController(
    'endpointslice-controller',
    ofServices,
    'OTH-1',
    [slices, services],
    minSyncDelay,
  ),
  emptiedSlices,
  slicesLetGo,
  sliceController('endpointslice-mirroring-controller', ofEndpoints, 'OTH-2', [
    slices,
    services,
    endpoints,
  ]),
  orphanedEndpoints,
];

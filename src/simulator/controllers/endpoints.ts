import type { SyncController } from '../../controllers/controller.ts';
import {
  emptiedSlices,
  endpointSlice,
  fittingSlices,
  managedBy,
  mirroredSlices,
  ofEndpoints,
  ofServices,
  orphanedEndpoints,
  releasedSlices,
  releasesSlices,
  serviceName,
} from '../../controllers/endpoints/endpointslice.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type IndexKind, ownName } from './indexes.ts';
import {
  affectedByName,
  type Cluster,
  type KeyedController,
  keyed,
  type Links,
} from './keyed-controller.ts';

const slices = 'endpointslices.discovery.k8s.io';
const services = 'services';
const endpoints = 'endpoints';
const slicesByService: IndexKind = { resource: slices, keysOf: serviceOf };
/** A Service, its slices and its Endpoints. */
const links: Links = { [services]: ownName, [endpoints]: ownName, [slices]: serviceOf };
const slicesByPod: IndexKind = { resource: slices, keysOf: podsOf };
/** endpointSliceChangeMinSyncDelay, pkg/controller/endpointslice/endpointslice_controller.go. */
const minSyncDelay = 1_000;

/** Looks at slices when their Services change. */
function sliceController(
  syncer: SyncController,
  manager: string,
  reads: readonly string[],
  pause = 0,
): KeyedController {
  const wiring = {
    pause,
    reads,
    concerns: (slice: ObjectRecord, { state }: Cluster) => {
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
    links,
  };
  return keyed(endpointSlice, wiring, syncer);
}

/** When their Service goes; those that have none anyway only when the controller starts. */
const withoutService = keyed(
  endpointSlice,
  {
    reads: [services],
    concerns: ({ namespace, name }, { state }) => !state.at(services, namespace, name),
    affected: ({ before, after }, { state }) =>
      before && !after ? [state.at(endpoints, before.namespace, before.name)] : [],
    links,
  },
  orphanedEndpoints,
);

const withoutPods = keyed(
  endpointSlice,
  {
    reads: ['pods'],
    present: () => [],
    concerns: (slice) => slice.labels?.[managedBy] === ofServices && podsOf(slice).length > 0,
    affected: ({ before, after }, { indexes }) =>
      before && !after && isPod(before)
        ? indexes.of(slicesByPod).get(`${before.namespace}/${before.name}`)
        : [],
    listsOf: ({ namespace, labels }, { indexes }) => ({
      [slices]: indexes.of(slicesByService).get(`${namespace}/${labels?.[serviceName] ?? ''}`),
    }),
    links: { pods: ownName, [slices]: podsOf },
  },
  emptiedSlices,
);

const ofOrphaning = keyed(
  endpointSlice,
  {
    reads: [services],
    present: () => [],
    concerns: (slice, { state }) => {
      const { labels, namespace } = slice;
      if (labels?.[managedBy] !== ofServices) return false;
      const service = state.at(services, namespace, labels[serviceName] ?? '');
      return service !== undefined && releasesSlices(service);
    },
    affected: ({ after }, { indexes }) =>
      after && storedAs(after.type) === services && releasesSlices(after)
        ? indexes.of(slicesByService).get(`${after.namespace}/${after.name}`)
        : [],
    links,
  },
  releasedSlices,
);

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
  sliceController(fittingSlices, ofServices, [slices, services], minSyncDelay),
  withoutPods,
  ofOrphaning,
  sliceController(mirroredSlices, ofEndpoints, [slices, services, endpoints]),
  withoutService,
];

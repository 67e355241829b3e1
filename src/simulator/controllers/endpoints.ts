import {
  endpointSlice,
  managedBy,
  serviceName,
} from '../../controllers/endpoints/endpointslice.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { IndexKind } from './indexes.ts';
import { decidedBy, type KeyedController } from './keyed-controller.ts';

const { id } = endpointSlice;
const slices = 'endpointslices.discovery.k8s.io';
const services = 'services';
const endpoints = 'endpoints';
const slicesByService: IndexKind = { resource: slices, keysOf: linksOf };

function sliceController(
  controller: KeyedController['controller'],
  manager: string,
  wanted: string,
  reads: readonly string[],
): KeyedController {
  return {
    id,
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
    affected: ({ before, after }, { indexes }) => {
      const record = after ?? before;
      if (!record || storedAs(record.type) === slices) return [];
      return indexes.of(slicesByService).get(`${record.namespace}/${record.name}`);
    },
    decide: decidedBy(endpointSlice, wanted),
    linksOf,
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
  linksOf,
};

export const endpointControllers: readonly KeyedController[] = [
  sliceController('endpointslice-controller', 'endpointslice-controller.k8s.io', 'OTH-1', [
    slices,
    services,
  ]),
  sliceController(
    'endpointslice-mirroring-controller',
    'endpointslicemirroring-controller.k8s.io',
    'OTH-2',
    [slices, services, endpoints],
  ),
  orphanedEndpoints,
];

/** A Service, its slices and its Endpoints. */
function linksOf({ type, namespace, name, labels }: ObjectRecord): readonly string[] {
  if (type.kind === 'Service' || type.kind === 'Endpoints') return [`${namespace}/${name}`];
  const service = type.kind === 'EndpointSlice' ? labels?.[serviceName] : undefined;
  return service === undefined ? [] : [`${namespace}/${service}`];
}

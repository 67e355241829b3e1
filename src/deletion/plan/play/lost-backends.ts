import { serviceName } from '../../../controllers/endpoints/endpointslice.ts';
import { endpointSliceType, serviceType } from '../../../kube/core-types.ts';
import { isEmptySelector, workloadSelects } from '../../../kube/label-selector.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../../kube/resource-type.ts';
import { isPod } from '../../../kube/well-known-kinds.ts';

/** A Service without a backend, because the Service or all behind it are deleted. */
export interface LostBackend {
  readonly service: ObjectRecord;
  /** The deleted objects: the Service, or else its Pods; without a selector, its EndpointSlices. */
  readonly lost: readonly ObjectRecord[];
}

/** Services that lose their backends, if some of these objects are deleted and all others stay. */
export function lostBackends(
  records: readonly ObjectRecord[],
  going: readonly ObjectRecord[],
): LostBackend[] {
  const gone = new Set(going.map(({ uid }) => uid));
  const homes = new Set(going.map(({ namespace }) => namespace));
  const near = records.filter(({ namespace }) => namespace !== '' && homes.has(namespace));
  const services = near.filter((record) => isOf(record, serviceType));
  if (services.length === 0) return [];
  const behind = behindAmong(near);
  return services.flatMap((service): LostBackend[] => {
    if (gone.has(service.uid)) return [{ service, lost: [service] }];
    const lost = behind(service);
    const isLost = lost.length > 0 && lost.every(({ uid }) => gone.has(uid));
    return isLost ? [{ service, lost }] : [];
  });
}

/** What answers for a Service: its Pods. Without a selector somebody else says it, in EndpointSlices that nothing recreates. */
function behindAmong(records: readonly ObjectRecord[]) {
  const pods = Map.groupBy(records.filter(isPod), ({ namespace }) => namespace);
  const slices = Map.groupBy(
    records.filter((record) => isOf(record, endpointSliceType)),
    ({ namespace, labels }) => `${namespace}/${labels?.[serviceName]}`,
  );
  return ({ namespace, name, facts }: ObjectRecord): readonly ObjectRecord[] => {
    // Its selector was not read.
    if (!facts) return [];
    const { selector } = facts;
    if (!selector || isEmptySelector(selector)) return slices.get(`${namespace}/${name}`) ?? [];
    return (pods.get(namespace) ?? []).filter(({ labels }) => workloadSelects(selector, labels));
  };
}

function isOf({ type }: ObjectRecord, wanted: ResourceType): boolean {
  return groupResourceOf(type) === groupResourceOf(wanted);
}

interface NamedService {
  readonly namespace?: string;
  readonly name?: string;
}

export function isServiceNamed(
  place: NamedService | undefined,
  { namespace, name }: Pick<ObjectRecord, 'namespace' | 'name'>,
): boolean {
  return place !== undefined && place.namespace === namespace && place.name === name;
}

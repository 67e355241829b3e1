import { isEmptySelector, workloadSelects } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';

/** A Service behind which nothing is left, as it goes itself or all of its pods do. */
export interface LostBackend {
  readonly service: ObjectRecord;
  /** What goes: the Service, or else its pods. */
  readonly lost: readonly ObjectRecord[];
}

/** Services that lose what answers for them, where some of these objects go and all others stay. */
export function lostBackends(
  records: readonly ObjectRecord[],
  going: readonly ObjectRecord[],
): LostBackend[] {
  const gone = new Set(going.map(({ uid }) => uid));
  const homes = new Set(going.map(({ namespace }) => namespace));
  const near = records.filter(({ namespace }) => homes.has(namespace));
  const pods = Map.groupBy(near.filter(isPod), ({ namespace }) => namespace);
  return near.filter(isService).flatMap((service): LostBackend[] => {
    if (gone.has(service.uid)) return [{ service, lost: [service] }];
    const selector = service.facts?.selector;
    // Without a selector somebody else says what answers.
    if (!selector || isEmptySelector(selector)) return [];
    const behind = (pods.get(service.namespace) ?? []).filter(({ labels }) =>
      workloadSelects(selector, labels),
    );
    const isLost = behind.length > 0 && behind.every(({ uid }) => gone.has(uid));
    return isLost ? [{ service, lost: behind }] : [];
  });
}

function isService({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Service';
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, isEventType, type ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { preferRecord } from './prefer-record.ts';

export interface MergedObjects {
  readonly records: ObjectRecord[];
  readonly problems: CoverageProblem[];
}

/**
 * One record for each object, however often and in however many versions it is shown. Objects
 * that only share a uid stay two. `types` are in the order of preference.
 */
export function mergeSameObjects(
  records: readonly ObjectRecord[],
  types: readonly ResourceType[],
): MergedObjects {
  const rank = new Map(types.map((type, index) => [type, index]));
  const kept: ObjectRecord[] = [];
  const problems: CoverageProblem[] = [];
  const byUid = new Map<string, number>();
  const byPath = new Map<string, Map<string, Map<string, number>>>();
  for (const record of records) {
    const { uid, name } = record;
    const names = child(child(byPath, storedAs(record.type)), record.namespace);
    const sameUid = uid === '' ? undefined : byUid.get(uid);
    const holder = sameUid === undefined ? undefined : kept[sameUid];
    const isSame = holder?.name === name && holder.namespace === record.namespace;
    // The same kind may be served by two groups, as Ingress and Event were and are.
    const index = names.get(name) ?? (isSame && sharesKind(holder, record) ? sameUid : undefined);
    const before = index === undefined ? undefined : kept[index];
    if (index === undefined || !before) {
      if (holder) problems.push(sharedUid(holder, record));
      names.set(name, kept.length);
      if (uid !== '' && !holder) byUid.set(uid, kept.length);
      kept.push(record);
      continue;
    }
    const { preferred, isDoubtful } = preferRecord(before, record, (type) => rank.get(type) ?? 0);
    if (isDoubtful) problems.push(contradiction(before, record));
    kept[index] = preferred;
    if (preferred.uid !== '') byUid.set(preferred.uid, index);
  }
  return { records: kept, problems };
}

function storedAs(type: ResourceType): string {
  return isEventType(type) ? 'events' : groupResourceOf(type);
}

function sharesKind(a: ObjectRecord | undefined, b: ObjectRecord): boolean {
  return a?.type.kind === b.type.kind;
}

function child<K, I, V>(map: Map<K, Map<I, V>>, key: K): Map<I, V> {
  let inner = map.get(key);
  if (!inner) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}

function sharedUid(a: ObjectRecord, b: ObjectRecord): CoverageProblem {
  const both = `${nameOf(a)} (${placeOf(a)}) and ${nameOf(b)} (${placeOf(b)})`;
  return {
    reason: 'duplicate-uid',
    message: `${both} have the same uid ${b.uid}`,
    ...b.place,
  };
}

function contradiction(a: ObjectRecord, b: ObjectRecord): CoverageProblem {
  return {
    reason: 'duplicate-uid',
    message:
      `${placeOf(b)}: ${nameOf(b)} differs from what ${placeOf(a)} says about it, and no ` +
      'resourceVersion tells which is newer: the later one counts',
    ...b.place,
  };
}

function nameOf({ type, namespace, name }: ObjectRecord): string {
  return `${type.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function placeOf({ place }: ObjectRecord): string {
  return place ? `${place.path}:${place.line}` : 'the input';
}

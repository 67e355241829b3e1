import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import {
  isCustomResourceDefinition,
  isHome,
  isNamespace,
  isNode,
} from '../../kube/well-known-kinds.ts';
import type { LinksOf } from './related-records.ts';

/**
 * What may change where events come in another order: what has changed in one or is asked to, what is being deleted,
 * and what has an owner that is not where its reference says. A change goes on to dependents, to what a Node, a
 * namespace or a definition that goes holds, and along the links of controllers. All else stays as it is. `about`: uids
 * of what is looked at although nothing happens to it.
 */
export function movableRecords(
  records: readonly ObjectRecord[],
  isChanged: (record: ObjectRecord) => boolean,
  byUid: ReadonlyMap<string, ObjectRecord>,
  types: ResourceTypes,
  links: readonly LinksOf[],
  about?: ReadonlySet<string>,
): ReadonlySet<ObjectRecord> {
  const isAmiss = (record: ObjectRecord) =>
    record.ownerReferences.some((reference) => {
      const owner = byUid.get(reference.uid);
      return !owner || !isFoundBy(reference, record, owner, types);
    });
  const goes = (record: ObjectRecord) => isChanged(record) || isBeingDeleted(record);
  const movable = new Set(
    records.filter((record) => goes(record) || about?.has(record.uid) || isAmiss(record)),
  );
  if (movable.size === 0) return movable;
  const dependentsOf = dependentsIn(records);
  const isOfHomes = records.some((record) => isHome(record) && goes(record));
  const contentOf = isOfHomes ? contentIn(records) : () => none;
  const linked = links.map((linksOf) => linkedBy(records, linksOf));
  for (const record of movable) {
    const held = goes(record) ? contentOf(record) : none;
    const next = [dependentsOf(record), held, ...linked.map((of) => of(record))];
    for (const some of next) for (const other of some) movable.add(other);
  }
  return movable;
}

/** Does the garbage collector find this owner where the reference of the dependent leads? */
export function isFoundBy(
  { apiVersion, kind, name }: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord,
  types: ResourceTypes,
): boolean {
  if (!isMapped({ apiVersion, kind }, dependent, types)) return false;
  const isNear = owner.namespace === '' || owner.namespace === dependent.namespace;
  return isNear && owner.name === name && owner.type.kind === kind;
}

/** Does the reference lead to a kind that is served, and that the dependent may be owned by? */
export function isMapped(
  { apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>,
  dependent: ObjectRecord,
  types: ResourceTypes,
): boolean {
  const mapping = types.mapKind(apiVersion, kind);
  return mapping.kind === 'served' && (!mapping.type.namespaced || dependent.type.namespaced);
}

type Others = (record: ObjectRecord) => readonly ObjectRecord[];

const none: readonly ObjectRecord[] = Object.freeze([]);

function dependentsIn(records: readonly ObjectRecord[]): Others {
  const dependents = new Map<string, ObjectRecord[]>();
  for (const record of records) {
    for (const { uid } of record.ownerReferences) {
      const others = dependents.get(uid);
      if (others) others.push(record);
      else dependents.set(uid, [record]);
    }
  }
  return ({ uid }) => dependents.get(uid) ?? none;
}

function contentIn(records: readonly ObjectRecord[]): Others {
  const inNamespaces = Map.groupBy(records, ({ namespace }) => namespace);
  const onNodes = Map.groupBy(records, knownNodeOf);
  const ofKinds = Map.groupBy(records, ({ type }) => groupResourceOf(type));
  return (home) => {
    if (isNamespace(home)) return inNamespaces.get(home.name) ?? none;
    if (isNode(home)) return onNodes.get(home.name) ?? none;
    return isCustomResourceDefinition(home) ? (ofKinds.get(home.name) ?? none) : none;
  };
}

function linkedBy(records: readonly ObjectRecord[], linksOf: LinksOf): Others {
  const byLink = Map.groupBy(
    records.flatMap((record) => linksOf(record).map((link) => ({ link, record }))),
    ({ link }) => link,
  );
  // What is reached by a link once need not be given again.
  return (record) =>
    linksOf(record).flatMap((link) => {
      const all = byLink.get(link)?.map((one) => one.record) ?? [];
      byLink.delete(link);
      return all;
    });
}

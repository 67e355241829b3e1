import { pushTo } from '../../kube/json-value.ts';
import { noReferences, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, targetNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
  isReady,
  nodeLeases,
} from '../../kube/well-known-kinds.ts';
import type { Owners } from '../../snapshot/graph/owners.ts';

/** Objects that share one of these names act on each other. */
export type LinksOf = (record: ObjectRecord) => readonly string[];

type Records = readonly ObjectRecord[];

const nothingActs: Records = Object.freeze([]);

/** These records, and all that `next` leads to from them, step by step; each once. */
export function reachedFrom(
  start: Iterable<ObjectRecord>,
  next: (record: ObjectRecord) => Iterable<ObjectRecord>,
): Set<ObjectRecord> {
  const reached = new Set(start);
  for (const record of reached) for (const other of next(record)) reached.add(other);
  return reached;
}

/** By what records act on each other. */
export interface Acts {
  /** Owners affect their dependents; no other record is among them. */
  readonly owners: Pick<Owners, 'withUid' | 'dependentsOf'>;
  /** May it be deleted? A namespace, a Node or a definition that is affects its content. */
  canDisappear(record: ObjectRecord): boolean;
  /** What shares a name by one of these affects each other. */
  readonly links: readonly LinksOf[];
}

/** How records act on each other. */
export interface ActingRecords {
  /** These, and all that a change of them can affect. */
  affectedBy(start: Iterable<ObjectRecord>): ReadonlySet<ObjectRecord>;
  /** These, and all that acts on them or is affected, in whichever direction. `beside`: where else it goes on. */
  actingWith(
    start: Iterable<ObjectRecord>,
    beside?: (record: ObjectRecord) => Records,
  ): ReadonlySet<ObjectRecord>;
  /** The records that act on each other and on no others. */
  components(): readonly Records[];
}

export function actingAmong(
  records: Records,
  { owners, canDisappear, links }: Acts,
): ActingRecords {
  const { contentOf, containersOf } = containersAmong(records, records.filter(canDisappear));
  const groups = links.map((linksOf) => ({ linksOf, byLink: byLinkIn(records, linksOf) }));
  /** What is reached by a link once need not be given again. */
  const linked = (given: Set<Records>) => (record: ObjectRecord) =>
    groups.flatMap(({ linksOf, byLink }) =>
      linksOf(record).flatMap((link) => {
        const others = byLink.get(link) ?? nothingActs;
        if (given.has(others)) return nothingActs;
        given.add(others);
        return others;
      }),
    );
  const affected = (record: ObjectRecord) => [
    ...owners.dependentsOf(record.uid),
    ...contentOf(record),
  ];
  const affecting = (record: ObjectRecord) => [
    ...record.ownerReferences.flatMap(({ uid }) => owners.withUid(uid) ?? []),
    ...containersOf(record),
  ];
  const actingWith: ActingRecords['actingWith'] = (start, beside = () => nothingActs) => {
    const linkedWith = linked(new Set());
    return reachedFrom(start, (record) => [
      ...affected(record),
      ...affecting(record),
      ...linkedWith(record),
      ...beside(record),
    ]);
  };
  return {
    affectedBy(start) {
      const linkedWith = linked(new Set());
      return reachedFrom(start, (record) => [...affected(record), ...linkedWith(record)]);
    },
    actingWith,
    components() {
      const known = new Set<ObjectRecord>();
      return records.flatMap((record) => {
        if (known.has(record)) return [];
        const component = [...actingWith([record])];
        for (const one of component) known.add(one);
        return [component];
      });
    },
  };
}

function byLinkIn(records: Records, linksOf: LinksOf): ReadonlyMap<string, Records> {
  const byLink = new Map<string, ObjectRecord[]>();
  for (const record of records) for (const link of linksOf(record)) pushTo(byLink, link, record);
  return byLink;
}

/** Kinds that contain other objects, and the name of the one that contains a record. */
const containerKinds = [
  [isNamespace, ({ namespace }: ObjectRecord) => namespace],
  [isNode, targetNodeOf],
  [isCustomResourceDefinition, ({ type }: ObjectRecord) => groupResourceOf(type)],
] as const;

/** What contains other records, of those that are going. */
function containersAmong(records: Records, going: Records) {
  const containers = containerKinds.flatMap(([isKind, nameOf]) => {
    const named = new Map<string | undefined, ObjectRecord>();
    for (const record of going) if (isKind(record)) named.set(record.name, record);
    return named.size === 0 ? [] : { named, nameOf };
  });
  const containersOf = (record: ObjectRecord) =>
    containers.flatMap(({ named, nameOf }) => named.get(nameOf(record)) ?? nothingActs);
  const content = new Map<ObjectRecord, ObjectRecord[]>();
  if (containers.length > 0) {
    for (const record of records)
      for (const one of containersOf(record)) pushTo(content, one, record);
  }
  return { containersOf, contentOf: (record: ObjectRecord) => content.get(record) ?? nothingActs };
}

/**
 * The other objects that decide about these, in any namespace: their owners and the objects at the coordinates of their
 * references, their namespaces and definitions, and their Nodes with their Leases. If one of these Nodes is not ready, all
 * Nodes count, because they are judged together (NODE-5, NODE-6).
 */
export function backdropOf(
  members: Iterable<ObjectRecord>,
  nodes: readonly ObjectRecord[],
  kubelets: boolean,
): (record: ObjectRecord) => boolean {
  const named = namesOfRecords(members);
  const countAll = nodes.some(
    (node) => named.members.has(node) || (named.nodes.has(node.name) && !isWell(node, kubelets)),
  );
  const isNodeNamed = (name: string) => countAll || named.nodes.has(name);
  return (record) => {
    const { type, namespace, name, uid } = record;
    const isNear = namespace === '' || named.namespaces.has(namespace);
    if (named.uids.has(uid) || (isNear && named.owners.get(name)?.has(type.kind))) return true;
    if (isNode(record)) return isNodeNamed(name);
    if (isNamespace(record)) return named.namespaces.has(name);
    if (isCustomResourceDefinition(record)) return named.definitions.has(name);
    return type.kind === 'Lease' && namespace === nodeLeases && isNodeNamed(name);
  };
}

/** As what others are judged by: it is not judged itself, as its owners may be left out. */
export function asBackdrop(record: ObjectRecord): ObjectRecord {
  return { ...record, ownerReferences: noReferences };
}

/** Will the controllers leave a Node and its pods alone, as long as nothing happens to it? */
export function isWell(node: ObjectRecord, kubelets: boolean): boolean {
  const taints = node.facts?.taints ?? [];
  return kubelets && isReady(node) && !taints.some(({ effect }) => effect === 'NoExecute');
}

function namesOfRecords(records: Iterable<ObjectRecord>) {
  const members = new Set<ObjectRecord>();
  const nodes = new Set<string>();
  const namespaces = new Set<string>();
  const definitions = new Set<string>();
  const uids = new Set<string>();
  /** Kinds, by name. */
  const owners = new Map<string, Set<string>>();
  for (const record of records) {
    members.add(record);
    const node = knownNodeOf(record) ?? record.facts?.attachment?.nodeName;
    if (node !== undefined) nodes.add(node);
    namespaces.add(record.namespace);
    definitions.add(groupResourceOf(record.type));
    for (const { uid, kind, name } of record.ownerReferences) {
      uids.add(uid);
      owners.set(name, (owners.get(name) ?? new Set()).add(kind));
    }
  }
  return { members, nodes, namespaces, definitions, uids, owners };
}

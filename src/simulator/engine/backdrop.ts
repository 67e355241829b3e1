import { noReferences, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
  isReady,
  nodeLeases,
} from '../../kube/well-known-kinds.ts';

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

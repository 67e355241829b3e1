import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import {
  type ClassifiedReference,
  classifyReference,
} from '../../snapshot/graph/classify-reference.ts';
import { type Graph, idOf } from '../../snapshot/graph/graph.ts';

/** An object, or an owner that a reference names and that is not in the snapshot. */
export type SubgraphNode =
  | { readonly id: string; readonly record: ObjectRecord }
  | { readonly id: string; readonly missing: ObjectReference };

export interface SubgraphEdge {
  readonly dependent: string;
  readonly owner: string;
  readonly classified: ClassifiedReference;
}

/** A part of the graph around some roots: nodes in the order in which a walk meets them, and all edges among them. */
export interface Subgraph {
  readonly direction: 'owners' | 'dependents';
  readonly roots: readonly string[];
  readonly nodes: ReadonlyMap<string, SubgraphNode>;
  readonly edges: readonly SubgraphEdge[];
  /** Edges by the end the walk comes from: the dependent when walking up, the owner when walking down. */
  readonly from: ReadonlyMap<string, readonly SubgraphEdge[]>;
}

/**
 * Everything that owns `starts`, up to the roots; safe in cycles. Owners that are not in the
 * snapshot become missing nodes.
 */
export function ownersOf(graph: Graph, starts: readonly ObjectRecord[]): Subgraph {
  return walk('owners', starts, (record, visit) => {
    for (const reference of record.ownerReferences) {
      const classified = classifyReference(graph, record, reference);
      const owner = honoured(classified) ?? graph.withUid(reference.uid);
      const node = owner
        ? { id: idOf(owner), record: owner }
        : { id: missingId(record, reference), missing: missingOwner(graph, record, reference) };
      visit({ dependent: idOf(record), owner: node.id, classified }, node);
    }
  });
}

/**
 * Everything that refers to `starts` by uid, and so on down; each object once, safe in cycles. `further`: where
 * else the walk goes on, though no reference leads there.
 */
export function dependentsOf(
  graph: Graph,
  starts: readonly ObjectRecord[],
  further: (record: ObjectRecord) => readonly ObjectRecord[] = () => [],
): Subgraph {
  return walk('dependents', starts, (record, visit) => {
    for (const dependent of graph.dependentsOf(record.uid)) {
      for (const reference of dependent.ownerReferences) {
        if (reference.uid !== record.uid) continue;
        const classified = classifyReference(graph, dependent, reference);
        const node = { id: idOf(dependent), record: dependent };
        visit({ dependent: node.id, owner: idOf(record), classified }, node);
      }
    }
    for (const other of further(record)) visit(undefined, { id: idOf(other), record: other });
  });
}

type Visit = (edge: SubgraphEdge | undefined, node: SubgraphNode) => void;

function walk(
  direction: Subgraph['direction'],
  starts: readonly ObjectRecord[],
  step: (record: ObjectRecord, visit: Visit) => void,
): Subgraph {
  const nodes = new Map<string, SubgraphNode>();
  const edges: SubgraphEdge[] = [];
  const from = new Map<string, SubgraphEdge[]>();
  const pending: ObjectRecord[] = [];
  const meet = (node: SubgraphNode) => {
    if (nodes.has(node.id)) return;
    nodes.set(node.id, node);
    if ('record' in node) pending.push(node.record);
  };
  for (const record of starts) meet({ id: idOf(record), record });
  const roots = [...nodes.keys()];
  for (const record of pending) {
    const out: SubgraphEdge[] = [];
    step(record, (edge, node) => {
      if (edge) {
        out.push(edge);
        edges.push(edge);
      }
      meet(node);
    });
    if (out.length > 0) from.set(idOf(record), out);
  }
  return { direction, roots, nodes, edges, from };
}

function honoured(classified: ClassifiedReference): ObjectRecord | undefined {
  return classified.outcome === 'found' || classified.outcome === 'not-applied'
    ? classified.found
    : undefined;
}

function missingId(record: ObjectRecord, reference: OwnerReference): string {
  return (
    reference.uid ||
    `${reference.apiVersion} ${reference.kind} ${record.namespace}/${reference.name}`
  );
}

function missingOwner(
  graph: Graph,
  record: ObjectRecord,
  { apiVersion, kind, name, uid }: OwnerReference,
): ObjectReference {
  const mapping = graph.snapshot.types.mapKind(apiVersion, kind);
  const clusterScoped = mapping.kind === 'served' && !mapping.type.namespaced;
  return { apiVersion, kind, namespace: clusterScoped ? '' : record.namespace, name, uid };
}

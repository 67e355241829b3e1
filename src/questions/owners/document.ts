import {
  type Action,
  judge,
  type PropagationPolicy,
} from '../../controllers/garbage-collector/judge.ts';
import { type Use, usedKindOf, usesByRecords } from '../../deletion/remarks/uses.ts';
import { appliedBy, toolOf } from '../../delivery/tools.ts';
import { unreadEntries } from '../../delivery/unread-entries.ts';
import { picked } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { readyOf, statusOf } from '../../kube/object-status.ts';
import type { LookupOutcome, ReferenceClass } from '../../snapshot/graph/classify-reference.ts';
import { type Graph, idOf } from '../../snapshot/graph/graph.ts';
import { kindsNotInInput } from '../../snapshot/graph/kinds-not-in-input.ts';
import { countingHead, type DocumentHead, headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import { type AppliedEdge, appliedBelow } from '../delete/applied.ts';
import { type ContentsRow, contentsOf } from './contents.ts';
import { ownersOf, type Subgraph, type SubgraphNode } from './subgraph.ts';
import { type UnreferencedRelation, unreferencedRelations } from './unreferenced-relations.ts';

/** A part of the graph as nodes and edges. */
interface GraphPart {
  /** Ids of the objects that were asked for. */
  readonly roots: readonly string[];
  /** In the order in which a walk from the roots meets them. */
  readonly nodes: readonly ReportNode[];
  readonly edges: readonly ReportEdge[];
}

/** `owners`: the objects and everything that owns them. */
export interface OwnersReport extends DocumentHead<'Owners'>, GraphPart {}

/** `tree`: the objects and everything that they own. */
export interface TreeReport extends DocumentHead<'Tree'>, GraphPart {
  /** What delivery tools among the nodes applied: no reference says so, and no verdict of the garbage collector counts it. */
  readonly applied?: readonly AppliedEdge[];
  /** Who uses the claims, ConfigMaps, Secrets, ServiceAccounts and classes among the roots, without a reference to an owner. */
  readonly uses?: readonly ObjectUse[];
  /** What namespaces, nodes and definitions among the roots contain, and among what was applied. */
  readonly contents?: readonly ContentsRow[];
}

export interface ObjectUse extends Use {
  /** The id of the node. */
  readonly object: string;
}

export type GraphReport = OwnersReport | TreeReport;

/** Who applied what of these; `owners` says it of each node. */
export function appliedOf(report: GraphReport): readonly AppliedEdge[] {
  return (report.kind === 'Tree' && report.applied) || [];
}

export interface ReportNode extends ObjectReference {
  /** The uid, or the object's path where it has none. */
  readonly id: string;
  /** False for an owner that is known only from references. */
  readonly observed: boolean;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers: readonly string[];
  /** The delivery tool that its labels or annotations name: `Flux Kustomization flux-system/apps`. */
  readonly appliedBy?: string;
  /** In `owners`, of an object that was asked for and has no owners: the objects to which it belongs without a reference. */
  readonly relations?: readonly UnreferencedRelation[];
  /** READY and STATUS as kubectl prints them; left out where they are not known or the kind has none. */
  readonly ready?: string;
  readonly status?: string;
  /**
   * What the garbage collector does with it, looking once; absent for an owner that is not in the
   * snapshot.
   */
  readonly gc?: GcVerdict;
}

/** What the garbage collector does with an object. */
export interface GcVerdict {
  readonly action: Action;
  readonly policy?: PropagationPolicy;
  readonly rule: string;
  readonly because: string;
  /** The garbage collector should have done that by now. */
  readonly overdue?: true;
}

/** uids of the objects that the garbage collector should have deleted or changed by now, as it works within a second. */
export function dueInGraph({ nodes }: Pick<GraphReport, 'nodes'>): ReadonlySet<string> {
  return new Set(nodes.filter(isDueNode).map(({ uid }) => uid));
}

function isDueNode({ gc }: ReportNode): boolean {
  return gc?.action === 'delete' || gc?.action === 'patch';
}

/** The same where these are still there. */
export function withOverdue<Report extends GraphReport>(report: Report): Report {
  const nodes = report.nodes.map((node) =>
    node.gc && isDueNode(node) ? { ...node, gc: { ...node.gc, overdue: true as const } } : node,
  );
  return { ...report, nodes };
}

export interface ReportEdge {
  readonly class: ReferenceClass;
  readonly outcome: LookupOutcome;
  /** Rule of docs/collectors/garbage-collector.md that decides. */
  readonly rule: string;
  readonly because: string;
  readonly dependent: string;
  readonly owner: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
}

export function ownersReport(graph: Graph, starts: readonly ObjectRecord[]): OwnersReport {
  const content = subgraphContent(graph, ownersOf(graph, starts));
  const relations = new Map(starts.map((one) => [idOf(one), unreferencedRelations(one)]));
  const nodes = content.nodes.map((node) => {
    const own = relations.get(node.id) ?? [];
    return own.length > 0 ? { ...node, relations: own } : node;
  });
  return { ...headOf('Owners', graph.snapshot), ...content, nodes };
}

export function treeReport(graph: Graph, starts: readonly ObjectRecord[]): TreeReport {
  const { snapshot } = graph;
  const { part, applied } = appliedBelow(graph, starts);
  const met = [...part.nodes.values()].flatMap((node) => ('record' in node ? node.record : []));
  const missing = [
    ...kindsNotInInput(snapshot, met, false),
    ...unreadEntries(snapshot, met.filter(toolOf)),
  ];
  const reached = new Set(applied.map(({ object }) => object));
  const contents = contentsOf(graph, [
    ...starts,
    ...met.filter((record) => reached.has(idOf(record))),
  ]);
  const uses = usesOf(snapshot, starts);
  // That nothing names these objects as owners is said of all that may.
  const head =
    part.edges.length === 0
      ? countingHead('Tree', snapshot, {}, missing)
      : headOf('Tree', snapshot, missing);
  return {
    ...head,
    ...subgraphContent(graph, part),
    ...(applied.length > 0 && { applied }),
    ...(uses.length > 0 && { uses }),
    ...(contents.length > 0 && { contents }),
  };
}

/** Most trees have no root of which it is asked. */
function usesOf(snapshot: Snapshot, starts: readonly ObjectRecord[]): ObjectUse[] {
  const asked = starts.filter((record) => usedKindOf(record) !== undefined);
  if (asked.length === 0) return [];
  const useOf = usesByRecords(snapshot);
  return asked.flatMap((record) => {
    const use = useOf(record);
    return use ? [{ object: idOf(record), ...use }] : [];
  });
}

function subgraphContent(
  graph: Graph,
  part: Subgraph,
): Pick<GraphReport, 'roots' | 'nodes' | 'edges'> {
  return {
    roots: part.roots,
    nodes: [...part.nodes.values()].map((node) => nodeOf(graph, node)),
    edges: part.edges.map(({ dependent, owner, classified }) => ({
      dependent,
      owner,
      ...picked(classified, 'class', 'outcome'),
      controller: classified.reference.controller === true,
      blockOwnerDeletion: classified.reference.blockOwnerDeletion === true,
      ...picked(classified, 'rule', 'because'),
    })),
  };
}

function nodeOf(graph: Graph, node: SubgraphNode): ReportNode {
  if ('missing' in node) return { ...node.missing, id: node.id, observed: false, finalizers: [] };
  const { record } = node;
  const applied = appliedBy(record);
  const [ready, status] = [readyOf(record), statusOf(record)];
  return {
    ...referenceTo(record),
    id: idOf(record),
    observed: true,
    ...picked(record, 'creationTimestamp', 'deletionTimestamp', 'finalizers'),
    ...(applied && { appliedBy: applied.who }),
    ...(ready !== '' && { ready }),
    ...(status !== '' && { status }),
    gc: picked(judge(graph, record), 'action', 'policy', 'rule', 'because'),
  };
}

import type { GraphReport, ReportEdge, ReportNode } from '../reports/graph-report.ts';

/** One line of a drawn graph. */
export interface TreeLine {
  /** The branches drawn in front: `│  ├─ `. */
  readonly prefix: string;
  readonly node: ReportNode;
  /** The edge over which the walk came; undefined for a root. */
  readonly edge: ReportEdge | undefined;
  /** Printed in full further up: a shared object, or one that closes a cycle. */
  readonly repeated: boolean;
}

/** Deeper branches are drawn as a number: ten thousand levels must not take ten thousand columns. */
const deepest = 40;

interface Pending {
  readonly id: string;
  readonly edge: ReportEdge | undefined;
  readonly depth: number;
  readonly trail: string;
  readonly last: boolean;
}

/** Unrolls a report into lines, each object once in full; iterative, as chains may be long. */
export function treeLines(report: GraphReport): TreeLine[] {
  const down = report.kind === 'Tree';
  const nodes = new Map(report.nodes.map((node) => [node.id, node]));
  const next = new Map<string, ReportEdge[]>();
  for (const edge of report.edges) {
    const from = down ? edge.owner : edge.dependent;
    const list = next.get(from);
    if (list) list.push(edge);
    else next.set(from, [edge]);
  }
  const farEnd = (edge: ReportEdge) => (down ? edge.dependent : edge.owner);

  const lines: TreeLine[] = [];
  const drawn = new Set<string>();
  const stack: Pending[] = report.roots
    .map((id) => ({ id, edge: undefined, depth: 0, trail: '', last: true }))
    .reverse();
  for (let at = stack.pop(); at; at = stack.pop()) {
    const node = nodes.get(at.id);
    if (!node) continue;
    const repeated = drawn.has(at.id);
    lines.push({ prefix: prefixOf(at), node, edge: at.edge, repeated });
    if (repeated) continue;
    drawn.add(at.id);
    const edges = distinct(next.get(at.id) ?? [], farEnd);
    if (down) edges.sort((a, b) => byContent(nodes.get(farEnd(a)), nodes.get(farEnd(b))));
    const trail = at.depth === 0 ? '' : `${at.trail}${at.last ? '   ' : '│  '}`;
    const depth = at.depth + 1;
    for (let i = edges.length - 1; i >= 0; i--) {
      const edge = edges[i];
      if (!edge) continue;
      stack.push({
        id: farEnd(edge),
        edge,
        depth,
        trail: depth > deepest ? '' : trail,
        last: i === edges.length - 1,
      });
    }
  }
  return lines;
}

function prefixOf({ depth, trail, last }: Pending): string {
  if (depth === 0) return '';
  if (depth > deepest) return `(${depth} levels down) `;
  return `${trail}${last ? '└─ ' : '├─ '}`;
}

function distinct(
  edges: readonly ReportEdge[],
  farEnd: (edge: ReportEdge) => string,
): ReportEdge[] {
  const met = new Set<string>();
  return edges.filter((edge) => {
    const id = farEnd(edge);
    if (met.has(id)) return false;
    met.add(id);
    return true;
  });
}

function byContent(a: ReportNode | undefined, b: ReportNode | undefined): number {
  if (!a || !b) return 0;
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

import { compareText } from '../../kube/names.ts';
import type { RenderOptions } from '../../output/style.ts';
import type { AppliedEdge } from '../delete/applied.ts';
import { appliedOf, type GraphReport, type ReportEdge, type ReportNode } from './document.ts';

/** An object, and what leads to it. */
interface TreeStep {
  readonly node: ReportNode;
  /** The edge over which the walk came; undefined for a root, and for what a tool applied. */
  readonly edge: ReportEdge | undefined;
  readonly applied?: AppliedEdge | undefined;
}

export interface ToldObject extends TreeStep {
  /** Printed in full further up: a shared object, or one that closes a cycle. */
  readonly repeated: boolean;
}

/** One line of a drawn graph. */
export interface TreeLine extends ToldObject {
  /** The branches drawn in front: `│  ├─ `, to what a delivery tool applied `│  ├╌ `. */
  readonly prefix: string;
  /** Where the walk came from; undefined for a root. */
  readonly above: ReportNode | undefined;
}

/** Deeper branches are drawn as a number: ten thousand levels must not take ten thousand columns. */
const deepestDrawn = 40;

/** A third of a terminal at most is for branches. */
export function deepestIn({ width }: RenderOptions): number {
  return width === undefined
    ? deepestDrawn
    : Math.max(4, Math.min(deepestDrawn, Math.floor(width / 9)));
}

interface Pending extends TreeStep, Pick<TreeLine, 'above'> {
  readonly depth: number;
  readonly trail: string;
  readonly last: boolean;
}

/** Unrolls a report into lines, each object once in full; iterative, as chains may be long. */
export function treeLines(report: GraphReport, most = deepestDrawn): TreeLine[] {
  const nodes = new Map(report.nodes.map((node) => [node.id, node]));
  const stepsFrom = Map.groupBy(treeSteps(report, nodes), ({ from }) => from);
  const lines: TreeLine[] = [];
  const drawn = new Set<ReportNode>();
  const stack: Pending[] = report.roots
    .flatMap((id) => nodes.get(id) ?? [])
    .map((node) => ({ node, edge: undefined, above: undefined, depth: 0, trail: '', last: true }))
    .reverse();
  for (let at = stack.pop(); at; at = stack.pop()) {
    const { node, edge, applied, above, depth, last } = at;
    const repeated = drawn.has(node);
    lines.push({ prefix: prefixOf(at, most), node, edge, applied, above, repeated });
    if (repeated) continue;
    drawn.add(node);
    const byNode = Map.groupBy(stepsFrom.get(node.id) ?? [], (step) => step.node);
    const steps = [...byNode.values()].flatMap(([first]) => first ?? []);
    if (report.kind === 'Tree') steps.sort(compareNodes);
    const trail = depth === 0 || depth >= most ? '' : `${at.trail}${last ? '   ' : '│  '}`;
    for (const [i, step] of [...steps.entries()].reverse()) {
      stack.push({ ...step, above: node, depth: depth + 1, trail, last: i === steps.length - 1 });
    }
  }
  return lines;
}

function treeSteps(
  report: GraphReport,
  nodes: ReadonlyMap<string, ReportNode>,
): (TreeStep & { readonly from: string })[] {
  const down = report.kind === 'Tree';
  const ends = [
    ...report.edges.map((edge) => ({ owner: edge.owner, dependent: edge.dependent, edge })),
    ...appliedOf(report).map((applied) => {
      return { owner: applied.tool, dependent: applied.object, edge: undefined, applied };
    }),
  ];
  return ends.flatMap(({ owner, dependent, ...by }) => {
    const node = nodes.get(down ? dependent : owner);
    return node ? { from: down ? owner : dependent, node, ...by } : [];
  });
}

function compareNodes({ node: a }: TreeStep, { node: b }: TreeStep): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name)
  );
}

function prefixOf({ depth, trail, last, applied }: Pending, most: number): string {
  if (depth === 0) return '';
  if (depth > most) return `(${depth} levels down) `;
  return `${trail}${last ? '└' : '├'}${applied ? '╌' : '─'} `;
}

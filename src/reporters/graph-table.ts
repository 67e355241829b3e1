import { age } from '../kube/age.ts';
import type { GraphReport, ReportEdge, ReportNode } from '../reports/graph-report.ts';
import { printable } from './printable.ts';
import { printedName } from './printed-name.ts';
import { paintOf, type RenderOptions, styleOf } from './style.ts';
import { type Cell, renderTable } from './table.ts';
import { type TreeLine, treeLines } from './tree-lines.ts';

/** The graph as a table whose second column is the tree. */
export function graphTable(report: GraphReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const headers = ['NAMESPACE', 'NAME', 'REFERENCE', 'BLOCKS', 'GC', 'AGE', 'STATUS'];
  if (wide) headers.push('UID', 'BECAUSE');
  const rows = treeLines(report).map((line) => {
    const { node, edge, prefix } = line;
    const action = actionOf(node);
    const cells: Cell[] = [
      { text: node.namespace },
      { text: `${prefix}${node.kind}/${node.name}` },
      { text: edge?.class ?? '', paint: paintOf(style, edge?.class ?? '') },
      { text: edge ? (edge.blockOwnerDeletion ? 'yes' : 'no') : '' },
      { text: line.repeated ? '' : action, paint: paintOf(style, action) },
      { text: node.observed ? age(node.creationTimestamp, options.now) : '' },
      { text: statusOf(line).join(', '), paint: style.yellow },
    ];
    if (wide) cells.push({ text: node.uid }, { text: becauseOf(node, edge) });
    return cells;
  });
  return renderTable(headers, rows, options);
}

/** The bare tree, one object a line; a namespace is told where it is not that of the line above. */
export function graphTree(report: GraphReport, options: RenderOptions): string {
  const style = styleOf(options);
  const namespaces = new Map(report.nodes.map((node) => [node.id, node.namespace]));
  const cameFrom = (edge: ReportEdge) =>
    namespaces.get(report.kind === 'Tree' ? edge.owner : edge.dependent);
  const lines = treeLines(report).map((line) => {
    const { node, edge, prefix } = line;
    const shown = printable(node.name);
    const name = node.observed ? style.bold(shown) : style.strikethrough(shown);
    const remarks = [
      ...(edge && edge.class !== 'solid' ? [paintOf(style, edge.class)(edge.class)] : []),
      ...(edge?.blockOwnerDeletion ? [style.dim('blocks')] : []),
      ...statusOf(line).map((status) => style.yellow(printable(status))),
    ];
    const isTold = node.namespace === '' || (edge && cameFrom(edge) === node.namespace);
    const where = isTold ? '' : style.dim(` -n ${printable(node.namespace)}`);
    const tail = remarks.length > 0 ? `  ${remarks.join(style.dim(' · '))}` : '';
    return `${style.dim(prefix)}${printable(node.kind)}/${name}${where}${tail}`;
  });
  return `${lines.join('\n')}\n`;
}

/** `kind.group/name` a line, each object once. */
export function graphNames(report: GraphReport): string {
  return report.nodes
    .filter((node) => node.observed)
    .map((node) => `${printedName(node)}\n`)
    .join('');
}

function actionOf(node: ReportNode): string {
  return node.gc?.action ?? '';
}

function statusOf({ node, repeated }: TreeLine): string[] {
  if (!node.observed) return ['not seen'];
  const marks: string[] = [];
  if (node.deletionTimestamp !== undefined) marks.push('terminating');
  if (node.finalizers.length > 0) marks.push(`finalizers: ${node.finalizers.join(' ')}`);
  if (repeated) marks.push('shown above');
  return marks;
}

function becauseOf(node: ReportNode, edge: ReportEdge | undefined): string {
  return edge ? `${edge.because} (${edge.rule})` : (node.gc?.because ?? '');
}

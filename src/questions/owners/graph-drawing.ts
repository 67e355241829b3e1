import { printable } from '../../output/printable.ts';
import { appliedOf, type GraphReport, type ReportEdge, type ReportNode } from './document.ts';

/** Graphviz; edges go from dependent to owner, as in the garbage collector's own debug graph. */
export function graphDot(report: GraphReport): string {
  const ids = numbered(report);
  const lines = report.nodes.map((node) => {
    const style = node.observed ? '' : ', style=dashed';
    return `  n${ids.get(node.id)} [label=${quoted(labelOf(node, '\n'))}${style}];`;
  });
  for (const edge of report.edges) {
    const attributes = [`color=${edgeColours[edge.class]}`];
    if (edge.blockOwnerDeletion) attributes.push('penwidth=2');
    if (edge.class !== 'solid') attributes.push(`label=${quoted(edge.class)}`);
    lines.push(
      `  n${ids.get(edge.dependent)} -> n${ids.get(edge.owner)} [${attributes.join(', ')}];`,
    );
  }
  for (const { tool, object } of appliedOf(report)) {
    lines.push(`  n${ids.get(object)} -> n${ids.get(tool)} [style=dotted, label="applied"];`);
  }
  return `digraph ${report.kind.toLowerCase()} {\n  rankdir=BT;\n  node [shape=box];\n${lines.join('\n')}\n}\n`;
}

/** Mermaid, as GitHub and GitLab draw it; owners above their dependents. */
export function graphMermaid(report: GraphReport): string {
  const ids = numbered(report);
  const lines = report.nodes.map((node) => {
    const label = labelOf(node, '<br/>', entities);
    return node.observed
      ? `  n${ids.get(node.id)}["${label}"]`
      : `  n${ids.get(node.id)}(["${label}"])`;
  });
  for (const edge of report.edges) {
    const arrow = edge.blockOwnerDeletion ? '==>' : '-->';
    const label = edge.class === 'solid' ? '' : `|${edge.class}|`;
    lines.push(`  n${ids.get(edge.owner)} ${arrow}${label} n${ids.get(edge.dependent)}`);
  }
  for (const { tool, object } of appliedOf(report)) {
    lines.push(`  n${ids.get(tool)} -.->|applied| n${ids.get(object)}`);
  }
  return `graph TD\n${lines.join('\n')}\n`;
}

function numbered(report: GraphReport): Map<string, number> {
  return new Map(report.nodes.map((node, index) => [node.id, index]));
}

function labelOf(
  node: ReportNode,
  newline: string,
  spell: (text: string) => string = printable,
): string {
  const where = node.namespace === '' ? '' : `${newline}${spell(node.namespace)}`;
  const gone = node.observed ? '' : `${newline}not seen`;
  return `${spell(`${node.kind}/${node.name}`)}${where}${gone}`;
}

/**
 * Mermaid's own spelling of what would end a label or become markup: a directive (`%%{init}`), a
 * formula (`$$x$$`), Markdown or an icon (`fa:fa-x`) as well.
 */
function entities(text: string): string {
  const special = /[#"<>&%$`]|(?<=\bfa[a-z]{0,2}):/g;
  return printable(text).replace(special, (char) => `#${char.charCodeAt(0)};`);
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

const edgeColours: Readonly<Record<ReportEdge['class'], string>> = {
  solid: 'darkgreen',
  dangling: 'red',
  waiting: 'orange',
  unresolvable: 'purple',
  unknown: 'gray',
};

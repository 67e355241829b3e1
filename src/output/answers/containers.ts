import { age, humanDuration } from '../../kube/time.ts';
import type {
  ContainerCounts,
  ContainerSettings,
  ContainersReport,
  NodeContainers,
} from '../documents/nodes/containers.ts';
import { sandboxReasonsInWords } from '../documents/nodes/node-document.ts';
import { printable } from '../printable.ts';
import type { RenderOptions } from '../style.ts';
import { evictionLines, fateColumn } from '../tables/eviction-lines.ts';
import { type Column, renderItems } from '../tables/table.ts';
import type { Answer } from './answer.ts';

export const containersAnswer = {
  table: containersTable,
} satisfies Answer<ContainersReport>;

const shortId = 13;

/** Each node: the limits, what the next pass does, then containers and sandboxes. */
function containersTable(report: ContainersReport, options: RenderOptions, wide: boolean): string {
  return report.nodes.map((node) => nodeText(node, options, wide)).join('\n');
}

function nodeText(node: NodeContainers, options: RenderOptions, wide: boolean): string {
  const { settings, counts, eviction, remarks } = node;
  const lines = [
    `Node ${node.node}: the next pass removes ${countsInWords(counts)}`,
    `  limits: ${settingsInWords(settings)}`,
  ];
  const outcome = `deleting all unused containers removes ${countsInWords(eviction.counts)}`;
  const deleting = eviction.thresholds.filter(({ reclaims }) =>
    reclaims.includes('delete-all-containers'),
  );
  if (wide) lines.push(...evictionLines(deleting, outcome));
  lines.push(...remarks.map((remark) => `  note: ${remark}`));
  const parts = [containerRows(node, options, wide), sandboxRows(node, options, wide)];
  return [`${lines.map(printable).join('\n')}\n`, ...parts.filter((part) => part !== '')].join(
    '\n',
  );
}

function settingsInWords(settings: ContainerSettings): string {
  const { minimumAgeSeconds, maxPerPodContainer: each, maxContainers: all } = settings;
  const limit = (value: number) => (value < 0 ? 'any number' : String(value));
  return `${limit(each)} dead of each container, ${limit(all)} on the node, minimum age ${humanDuration(minimumAgeSeconds)}`;
}

function countsInWords({ containers, sandboxes }: ContainerCounts): string {
  const count = ({ least, most }: ContainerCounts['containers'], what: string) =>
    `${least === most ? most : `${least} to ${most}`} ${what}${most === 1 ? '' : what.endsWith('x') ? 'es' : 's'}`;
  return `${count(containers, 'container')} and ${count(sandboxes, 'sandbox')}`;
}

function containerRows(node: NodeContainers, options: RenderOptions, wide: boolean): string {
  const columns: Column<NodeContainers['containers'][number]>[] = [
    ['CONTAINER', ({ name }) => name],
    ['POD', ({ pod }) => pod || '<unknown>'],
    ['STATE', ({ state }) => state],
    ['AGE', ({ createdAt }) => age(createdAt, options.now)],
    fateColumn(options),
    ['ID', ({ id }) => (wide ? id : id.slice(0, shortId))],
    ['POD UID', ({ podUid }) => podUid, 'wide'],
    ['RULE', ({ rule }) => rule, 'wide'],
    ['REASON', ({ because }) => because],
  ];
  return renderItems(node.containers, columns, options, wide);
}

function sandboxRows(node: NodeContainers, options: RenderOptions, wide: boolean): string {
  const columns: Column<NodeContainers['sandboxes'][number]>[] = [
    ['SANDBOX', ({ id }) => (wide ? id : id.slice(0, shortId))],
    ['POD', ({ pod }) => pod || '<unknown>'],
    ['STATE', ({ ready }) => (ready ? 'ready' : 'not ready')],
    ['AGE', ({ createdAt }) => age(createdAt, options.now)],
    fateColumn(options),
    ['REASON', ({ reason }) => sandboxReasonsInWords[reason]],
  ];
  return renderItems(node.sandboxes, columns, options);
}

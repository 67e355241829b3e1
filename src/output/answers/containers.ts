import { counted } from '../../kube/counts-by-kind.ts';
import { age, humanDuration } from '../../kube/time.ts';
import type {
  ContainerCounts,
  ContainerSettings,
  ContainersReport,
  NodeContainers,
} from '../documents/nodes/containers.ts';
import { sandboxReasonsInWords } from '../documents/nodes/node-document.ts';
import { stacked } from '../fit-text.ts';
import { printable } from '../printable.ts';
import type { RenderOptions } from '../style.ts';
import { evictionLines, fateColumn } from '../tables/eviction-lines.ts';
import { type Column, renderItems } from '../tables/table.ts';
import type { Answer } from './answer.ts';

export const containersAnswer = {
  table: containersTable,
} satisfies Answer<ContainersReport>;

/** Each node: the limits, what the next pass does, then containers and sandboxes. */
function containersTable({ nodes }: ContainersReport, options: RenderOptions): string {
  return nodes.map((node) => nodeText(node, options)).join('\n');
}

function nodeText(node: NodeContainers, options: RenderOptions): string {
  const { settings, counts, eviction, remarks, containers, sandboxes } = node;
  const outcome = `deleting all unused containers removes ${countsInWords(eviction.counts)}`;
  const deleting = eviction.thresholds.filter(({ reclaims }) =>
    reclaims.includes('delete-all-containers'),
  );
  const lines = [
    `Node ${node.node}: the next pass removes ${countsInWords(counts)}`,
    `  limits: ${settingsInWords(settings)}`,
    ...(options.wide ? evictionLines(deleting, outcome) : []),
    ...remarks.map((remark) => `  note: ${remark}`),
  ];
  return stacked([
    `${lines.map(printable).join('\n')}\n`,
    renderItems(containers, containerColumns, options),
    renderItems(sandboxes, sandboxColumns, options),
  ]);
}

function settingsInWords(settings: ContainerSettings): string {
  const { minimumAgeSeconds, maxPerPodContainer: each, maxContainers: all } = settings;
  const limit = (value: number) => (value < 0 ? 'any number' : String(value));
  return `${limit(each)} dead of each container, ${limit(all)} on the node, minimum age ${humanDuration(minimumAgeSeconds)}`;
}

function countsInWords({ containers, sandboxes }: ContainerCounts): string {
  const count = ({ least, most }: ContainerCounts['containers'], what: string) =>
    `${least === most ? '' : `${least} to `}${counted(most, what)}`;
  return `${count(containers, 'container')} and ${count(sandboxes, 'sandbox')}`;
}

const containerColumns: readonly Column<NodeContainers['containers'][number]>[] = [
  ['CONTAINER', ({ name }) => name],
  ['POD', ({ pod }) => pod || '<unknown>'],
  ['STATE', ({ state }) => state],
  ['AGE', ({ createdAt }, { now }) => age(createdAt, now)],
  fateColumn,
  ['ID', shownId],
  ['POD UID', ({ podUid }) => podUid, 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  ['REASON', ({ because }) => because],
];

const sandboxColumns: readonly Column<NodeContainers['sandboxes'][number]>[] = [
  ['SANDBOX', shownId],
  ['POD', ({ pod }) => pod || '<unknown>'],
  ['STATE', ({ ready }) => (ready ? 'ready' : 'not ready')],
  ['AGE', ({ createdAt }, { now }) => age(createdAt, now)],
  fateColumn,
  ['REASON', ({ reason }) => sandboxReasonsInWords[reason]],
];

function shownId({ id }: { readonly id: string }, { wide }: RenderOptions): string {
  return wide ? id : id.slice(0, 13);
}

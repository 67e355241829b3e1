import { counted } from '../../kube/counts-by-kind.ts';
import { printable } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import { onOneScreen } from '../../output/tables/one-screen.ts';
import type { Column } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import type { Held, KindCount, SnapshotInfo } from './info-document.ts';

export const snapshotInfoAnswer = {
  tableOf: snapshotInfoTable,
  namesOf: ({ kinds }: SnapshotInfo) => kinds.map(({ resource }) => printable(resource)),
} satisfies Answer<SnapshotInfo>;

const heldInWords: Readonly<Record<Held, string>> = {
  facts: 'spec and status',
  settings: 'settings',
  nodes: 'what kubelets know',
  'field-managers': 'field managers',
  answers: 'access',
};

export function snapshotInfoTable(info: SnapshotInfo, options: RenderOptions): string {
  const origin = info.origin.kind === 'cluster' ? info.origin.server : info.origin.paths.join(', ');
  const problems = info.coverage.problems.length;
  const head = [
    `Taken:    ${info.observedFrom === undefined ? '' : `${info.observedFrom} to `}${info.observedAt}`,
    `From:     ${origin}`,
    `Server:   ${info.serverVersion ?? '<unknown>'}`,
    `Objects:  ${info.coverage.objects} of ${info.kinds.length} kinds`,
    `Content:  ${['metadata', ...info.holds.map((one) => heldInWords[one])].join(', ')}`,
    `Complete: ${info.coverage.complete ? 'yes' : `no, ${counted(problems, 'problem')}`}`,
  ];
  const columns: Column<KindCount>[] = [
    // The group stands beside it.
    ['RESOURCE', ({ resource }) => resource.split('.', 1)[0] ?? ''],
    ['APIVERSION', ({ apiVersion }) => apiVersion],
    ['OBJECTS', ({ objects }) => String(objects)],
    ['OWNED', ({ owned }) => String(owned)],
    ['TERMINATING', ({ terminating }) => String(terminating)],
  ];
  const table = onOneScreen(
    {
      items: info.kinds,
      columns,
      groupings: [{ alike: ({ resource }) => resource, characters: Number.POSITIVE_INFINITY }],
      noun: 'kind',
      byImportance: (a, b) => b.terminating - a.terminating || b.objects - a.objects,
    },
    { ...options, linesBeside: head.length + 1 },
  );
  return `${head.map(printable).join('\n')}\n\n${table}`;
}

import type { SnapshotInfo } from '../documents/snapshot-info.ts';
import type { RenderOptions } from '../style.ts';
import { renderTable } from './table.ts';

export function snapshotInfoTable(
  info: SnapshotInfo,
  format: string,
  options: RenderOptions,
): string {
  if (format === 'name') return info.kinds.map((count) => `${count.resource}\n`).join('');
  const origin = info.origin.kind === 'cluster' ? info.origin.server : info.origin.paths.join(', ');
  const problems = info.coverage.problems.length;
  const head = [
    `Taken:    ${info.observedAt}`,
    `From:     ${origin}`,
    `Server:   ${info.serverVersion ?? '<unknown>'}`,
    `Objects:  ${info.coverage.objects} of ${info.kinds.length} kinds`,
    `Complete: ${info.coverage.complete ? 'yes' : `no, ${problems} problem${problems === 1 ? '' : 's'}`}`,
  ];
  const rows = info.kinds.map((count) => [
    { text: count.resource },
    { text: count.apiVersion },
    { text: String(count.objects) },
    { text: String(count.owned) },
    { text: String(count.terminating) },
  ]);
  const table = renderTable(
    ['RESOURCE', 'APIVERSION', 'OBJECTS', 'OWNED', 'TERMINATING'],
    rows,
    options,
  );
  return `${head.join('\n')}\n\n${table}`;
}

import { counted } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { BackupItem, BackupsReport } from '../documents/backups.ts';
import { printable } from '../printable.ts';
import { type RenderOptions, styleOf } from '../style.ts';
import { type Cell, renderTable } from './table.ts';

/** A backup a line: when, of which cluster, what is in it, and what is not. */
export function backupsTable(
  { items, directory }: BackupsReport,
  options: RenderOptions,
  wide: boolean,
): string {
  if (items.length === 0) return `No backups found in ${printable(directory)}.\n`;
  const style = styleOf(options);
  const headers = ['BACKUP', 'AGE', 'CLUSTER', 'FIRST', 'OBJECTS', 'SIZE', 'HOLES'];
  if (wide) headers.push('CLUSTER UID', 'KINDS');
  const rows = items.map((item): Cell[] => [
    { text: item.id },
    { text: age(item.createdAt, options.now) },
    { text: item.cluster.server || '<unknown>' },
    { text: item.first ? `${item.first.kind} ${item.first.name}` : '<unknown>' },
    { text: String(item.objects) },
    { text: item.size === undefined ? '<unknown>' : formatSize(item.size) },
    { text: holesOf(item), paint: holesOf(item) === 'none' ? undefined : style.yellow },
    ...(wide
      ? [
          { text: item.cluster.uid || '<unknown>' },
          { text: item.kinds.map(({ kind, objects }) => counted(objects, kind)).join(', ') },
        ]
      : []),
  ]);
  return renderTable(headers, rows, options);
}

function holesOf({ state, holes, fault }: BackupItem): string {
  if (state === 'cut-off') return 'cut off';
  if (state === 'unreadable') return 'unreadable';
  if (holes.length > 0) return String(holes.length);
  return fault === undefined ? 'none' : 'edited';
}

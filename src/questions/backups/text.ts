import { counted } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import { printable } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import type { BackupItem, BackupsReport } from './document.ts';

export const backupsAnswer = {
  tableOf: backupsTable,
  namesOf: ({ items }: BackupsReport) => items.map(({ path }) => path),
} satisfies Answer<BackupsReport>;

/** A backup a line: when, of which cluster, what is in it, and what is not. */
export function backupsTable({ items, directory }: BackupsReport, options: RenderOptions): string {
  return items.length === 0
    ? `No backups found in ${printable(directory)}.\n`
    : renderItems(items, backupColumns, options);
}

const backupColumns: readonly Column<BackupItem>[] = [
  ['BACKUP', ({ id }) => id],
  ['AGE', ({ createdAt }, { now }) => age(createdAt, now)],
  ['CLUSTER', ({ cluster }) => cluster.server || '<unknown>'],
  ['FIRST', ({ first }) => (first ? `${first.kind} ${first.name}` : '<unknown>')],
  ['OBJECTS', ({ objects }) => String(objects)],
  ['SIZE', ({ size }) => (size === undefined ? '<unknown>' : formatSize(size))],
  [
    'INCOMPLETE',
    (item) => {
      const text = holesOf(item);
      return { text, paint: text === 'none' ? undefined : 'yellow' };
    },
  ],
  ['CLUSTER UID', ({ cluster }) => cluster.uid || '<unknown>', 'wide'],
  [
    'KINDS',
    ({ kinds }) => kinds.map(({ kind, objects }) => counted(objects, kind)).join(', '),
    'wide',
  ],
];

function holesOf({ state, holes, fault }: BackupItem): string {
  if (state === 'cut-off') return 'cut off';
  if (state === 'unreadable') return 'unreadable';
  if (holes.length > 0) return String(holes.length);
  return fault === undefined ? 'none' : 'edited';
}

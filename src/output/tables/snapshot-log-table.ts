import { counted } from '../../kube/counts-by-kind.ts';
import type { LogItem, SnapshotLog } from '../documents/snapshot-log.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import type { Text } from '../text.ts';
import { changeWords, managedBy, reasonWords } from './change-words.ts';
import { unexplainedWords } from './snapshot-diff-table.ts';
import { type Column, renderItems } from './table.ts';
import { nameOf } from './words.ts';

/** What happened to the object, each with the two snapshots that it happened between. */
export function snapshotLogTable(log: SnapshotLog, options: RenderOptions, wide: boolean): Text {
  const style = styleOf(options);
  const paints: Readonly<Record<string, string>> = {
    came: 'keep',
    found: 'keep',
    went: 'delete',
    recreated: 'patch',
  };
  const columns: Column<LogItem>[] = [
    ['BETWEEN', ({ after }) => after ?? ''],
    ['AND', ({ before }) => before],
    ['CHANGE', ({ change }) => ({ text: change, paint: paintOf(style, paints[change] ?? '') })],
  ];
  if (wide) {
    columns.push(
      ['AT', ({ at = '' }) => at],
      ['UID', ({ object }) => object.uid],
      ['PREVIOUS UID', ({ previousUid = '' }) => previousUid],
      ['RULE', ({ reason }) => reason?.rule ?? ''],
    );
  }
  columns.push(['REASON', logWords]);
  return renderItems(log.items, columns, options);
}

function logWords(item: LogItem): string {
  const { change, at, reason, owners } = item;
  const requested = at === undefined ? [] : [`requested at ${at}`];
  const why = reason && reasonWords(reason);
  if (change === 'changed') {
    return [...changeWords(item), ...requested, ...(why === undefined ? [] : [why])].join('; ');
  }
  const end = change === 'went' || change === 'recreated';
  const owned = owners?.added.map((owner) => `owned by ${nameOf(owner)}${managedBy(owner)}`) ?? [];
  return [
    ...(end ? [why ?? unexplainedWords(item)] : []),
    ...(at === undefined ? [] : [`${end ? 'created again' : 'created'} at ${at}`]),
    ...owned,
  ].join('; ');
}

/** `3 events in 12 snapshots from … to …; 2 snapshots do not tell.` */
export function snapshotLogSummary({ items, snapshots }: SnapshotLog): string {
  const [first, last] = [snapshots[0]?.observedAt, snapshots.at(-1)?.observedAt];
  const unread = snapshots.filter(({ state }) => state === 'not-read').length;
  const rest = unread === 0 ? '' : `; ${counted(unread, 'snapshot')} did not read it`;
  return `${counted(items.length, 'event')} in ${counted(snapshots.length, 'snapshot')} from ${first} to ${last}${rest}.`;
}

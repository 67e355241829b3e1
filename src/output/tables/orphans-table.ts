import { counted } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from './table.ts';
import { nameOf, resultCounts } from './words.ts';

export function orphansTable(report: OrphansReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const columns: Column<Orphan>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['OWNERS', ({ owners }) => ({ text: ownersWords[owners], paint: paintOf(style, owners) })],
    ['RESULT', (item) => ({ text: orphanResult(item), paint: paintOf(style, item.gc.action) })],
    ['AGE', ({ creationTimestamp }) => age(creationTimestamp, options.now)],
  ];
  if (wide) {
    columns.push(
      ['WHEN', ({ gc }) => gc.when],
      ['POLICY', ({ gc }) => gc.policy ?? ''],
      ['UID', ({ object }) => object.uid],
      ['RULE', ({ gc }) => gc.rule],
    );
  }
  // That an object has no owner stands under OWNERS.
  columns.push(['REASON', ({ owners, gc }) => (owners === 'none' && !wide ? '' : gc.because)]);
  return renderItems(report.items, columns, options);
}

export const ownersWords: Readonly<Record<Orphan['owners'], string>> = {
  gone: 'gone',
  'partly-gone': 'partly gone',
  unresolvable: 'cannot be found',
  unknown: 'not read',
  'job-gone': 'Job is gone',
  none: 'none',
};

export function orphanResult({ gc, references }: Orphan): string {
  switch (gc.action) {
    case 'delete':
      return 'will be deleted';
    case 'patch': {
      const lost = references.filter((reference) => reference.class !== 'solid').length;
      return lost === 1 ? 'loses a reference' : `loses ${lost} references`;
    }
    case 'terminating':
      return 'being deleted';
    case 'unknown':
      return 'unknown';
    case 'frozen':
      return 'never deleted';
    default:
      return 'stays';
  }
}

/** `9 orphans: 4 will be deleted, 5 stay.` */
export function orphansSummary({ items }: OrphansReport): string {
  return `${counted(items.length, 'orphan')}: ${resultCounts(items.map(orphanResult))}.`;
}

import { counted } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from './table.ts';
import { nameOf, resultCounts } from './words.ts';

export function orphansTable(report: OrphansReport, options: RenderOptions, wide: boolean): string {
  return renderItems(report.items, orphanColumns(options, wide), options, wide);
}

export function orphanColumns(options: RenderOptions, wide: boolean): Column<Orphan>[] {
  const style = styleOf(options);
  return [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['OWNERS', ({ owners }) => ({ text: ownersWords[owners], paint: paintOf(style, owners) })],
    ['RESULT', (item) => ({ text: orphanResult(item), paint: paintOf(style, item.gc.action) })],
    ['AGE', ({ creationTimestamp }) => age(creationTimestamp, options.now)],
    ['WHEN', ({ gc }) => gc.when, 'wide'],
    ['POLICY', ({ gc }) => gc.policy ?? '', 'wide'],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['RULE', ({ gc }) => gc.rule, 'wide'],
    // That an object has no owner stands under OWNERS.
    ['REASON', ({ owners, gc }) => (owners === 'none' && !wide ? '' : gc.because)],
  ];
}

const ownersWords: Readonly<Record<Orphan['owners'], string>> = {
  gone: 'gone',
  'partly-gone': 'partly gone',
  unresolvable: 'cannot be found',
  unknown: 'not read',
  'job-gone': 'Job is gone',
  'release-gone': 'release is gone',
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

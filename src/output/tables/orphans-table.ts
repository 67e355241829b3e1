import { age } from '../../kube/time.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from './table.ts';

export function orphansTable(report: OrphansReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const columns: Column<Orphan>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['NAME', ({ object }) => `${object.kind}/${object.name}`],
    ['OWNERS', ({ owners }) => ({ text: owners, paint: paintOf(style, owners) })],
    ['GC', (item) => ({ text: actionWords(item), paint: paintOf(style, item.gc.action) })],
    ['WHEN', ({ gc }) => gc.when],
    ['AGE', ({ creationTimestamp }) => age(creationTimestamp, options.now)],
  ];
  if (wide) columns.push(['UID', ({ object }) => object.uid], ['RULE', ({ gc }) => gc.rule]);
  return renderItems(report.items, [...columns, ['BECAUSE', ({ gc }) => gc.because]], options);
}

function actionWords({ gc, references }: Orphan): string {
  switch (gc.action) {
    case 'delete':
      return gc.policy === 'Background' ? 'delete' : `delete (${gc.policy})`;
    case 'patch': {
      const lost = references.filter((reference) => reference.class !== 'solid').length;
      return `remove ${lost} reference${lost === 1 ? '' : 's'}`;
    }
    case 'unowned':
      return 'nothing';
    default:
      return gc.action;
  }
}

import { age } from '../../kube/time.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { renderTable } from './table.ts';

export function orphansTable(report: OrphansReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const headers = ['NAMESPACE', 'NAME', 'OWNERS', 'GC', 'WHEN', 'AGE'];
  if (wide) headers.push('UID', 'RULE');
  headers.push('BECAUSE');
  const rows = report.items.map((item) => {
    const gc = actionWords(item);
    return [
      { text: item.object.namespace },
      { text: `${item.object.kind}/${item.object.name}` },
      { text: item.owners, paint: paintOf(style, item.owners) },
      { text: gc, paint: paintOf(style, item.gc.action) },
      { text: item.gc.when },
      { text: age(item.creationTimestamp, options.now) },
      ...(wide ? [{ text: item.object.uid }, { text: item.gc.rule }] : []),
      { text: item.gc.because },
    ];
  });
  return renderTable(headers, rows, options);
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

import type { AuditReport } from '../reports/audit.ts';
import { paintOf, type RenderOptions, styleOf } from './style.ts';
import { renderTable } from './table.ts';

const paintWord = { error: 'delete', warning: 'patch', info: 'unknown' } as const;

/** The findings that count; `wide` shows the others too, and the fixes. */
export function auditTable(report: AuditReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const headers = ['SEVERITY', 'NAMESPACE', 'NAME', 'RULE', 'CONSEQUENCE'];
  const items = wide ? report.items : report.items.filter(({ status }) => status === 'new');
  const withPlaces = items.some(({ place }) => place !== undefined);
  if (wide) headers.push('STATUS', 'FIX', ...(withPlaces ? ['PLACE'] : []));
  headers.push('MESSAGE');
  const rows = items.map((item) => [
    { text: item.severity, paint: paintOf(style, paintWord[item.severity]) },
    { text: item.object.namespace },
    { text: `${item.object.kind}/${item.object.name}` },
    { text: item.rule },
    { text: item.consequence },
    ...(wide
      ? [
          { text: item.status },
          { text: item.fix.command ?? item.fix.summary },
          ...(withPlaces
            ? [{ text: item.place ? `${item.place.path}:${item.place.line}` : '' }]
            : []),
        ]
      : []),
    { text: item.message },
  ]);
  return renderTable(headers, rows, options);
}

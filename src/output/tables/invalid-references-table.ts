import type { InvalidReferencesReport } from '../documents/invalid-references.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { renderTable } from './table.ts';

const paintWord: Record<string, string> = {
  'deleted on the next pass': 'delete',
  'reference removed': 'patch',
  'never collected': 'frozen',
  'unknown because an API could not be read': 'unknown',
};

export function invalidReferencesTable(
  report: InvalidReferencesReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const style = styleOf(options);
  const headers = ['NAMESPACE', 'NAME', 'CLASS', 'OWNER', 'CONSEQUENCE'];
  if (wide) headers.push('WRITTEN BY', 'RULE', 'FIX');
  headers.push('BECAUSE');
  const rows = report.items.map((item) => [
    { text: item.object.namespace },
    { text: `${item.object.kind}/${item.object.name}` },
    { text: item.class },
    { text: item.reference ? `${item.reference.kind}/${item.reference.name}` : '' },
    {
      text: item.consequences.join(', '),
      paint: paintOf(style, paintWord[item.consequences[0] ?? ''] ?? ''),
    },
    ...(wide
      ? [{ text: item.writer?.manager ?? '<unknown>' }, { text: item.rule }, { text: item.fix }]
      : []),
    { text: item.because },
  ]);
  return renderTable(headers, rows, options);
}

import type { InvalidReference, InvalidReferencesReport } from '../documents/invalid-references.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from './table.ts';

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
  const columns: Column<InvalidReference>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['NAME', ({ object }) => `${object.kind}/${object.name}`],
    ['CLASS', (item) => item.class],
    ['OWNER', ({ reference }) => (reference ? `${reference.kind}/${reference.name}` : '')],
    [
      'CONSEQUENCE',
      ({ consequences }) => ({
        text: consequences.join(', '),
        paint: paintOf(style, paintWord[consequences[0] ?? ''] ?? ''),
      }),
    ],
  ];
  if (wide) {
    columns.push(
      ['WRITTEN BY', ({ writer }) => writer?.manager ?? '<unknown>'],
      ['RULE', ({ rule }) => rule],
      ['FIX', ({ fix }) => fix],
    );
  }
  return renderItems(report.items, [...columns, ['BECAUSE', ({ because }) => because]], options);
}

import type { AuditItem, AuditReport } from '../documents/audit.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from '../tables/table.ts';
import { consequenceWords, nameOf } from '../tables/words.ts';

const paintWord = { error: 'delete', warning: 'patch', info: 'unknown' } as const;

/** The findings that count; `wide` shows the others too, and the fixes. */
export function auditTable(report: AuditReport, options: RenderOptions, wide: boolean): string {
  const items = wide ? report.items : report.items.filter(({ status }) => status === 'new');
  return renderItems(items, auditColumns(items, options), options, wide);
}

export function auditColumns(
  items: readonly AuditItem[],
  options: RenderOptions,
): Column<AuditItem>[] {
  const style = styleOf(options);
  const places: Column<AuditItem>[] = items.some(({ place }) => place !== undefined)
    ? [['PLACE', ({ place }) => (place ? `${place.path}:${place.line}` : ''), 'wide']]
    : [];
  return [
    [
      'SEVERITY',
      ({ severity }) => ({ text: severity, paint: paintOf(style, paintWord[severity]) }),
    ],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['RULE', ({ rule }) => rule],
    [
      'RESULT',
      ({ consequence, rule }) => {
        const result = consequenceWords(consequence, rule);
        return options.width === undefined ? result : (brief(result, options.width) ?? '');
      },
    ],
    ['STATUS', ({ status }) => status, 'wide'],
    ['FIX', ({ fix }) => fix.command ?? fix.summary, 'wide'],
    ...places,
    ['REASON', (item) => reasonOf(item, options.width)],
  ];
}

/** What the other columns need, reasons beside them. */
const widthOfOthers = 120;
const leastResult = 24;

/** With the result, where that is too long to stand in a column. */
function reasonOf({ message, consequence, rule }: AuditItem, width: number | undefined): string {
  const result = consequenceWords(consequence, rule);
  return width === undefined || brief(result, width) !== undefined
    ? message
    : `${message}. ${result.charAt(0).toUpperCase()}${result.slice(1)}`;
}

/**
 * On a terminal the message needs the room; details come after a colon or a semicolon. Undefined where
 * a sentence has no room.
 */
function brief(result: string, width: number): string | undefined {
  const [short = '', condition] = result.split(/[:;] |,? (while|until|unless) /, 2);
  // Without its condition it would be said of every case.
  if (condition !== undefined && notDeleted.test(short)) return 'not deleted so far';
  const most = Math.max(leastResult, width - widthOfOthers);
  return short.length <= most ? short : undefined;
}

const notDeleted = /^(never|not) deleted$/;

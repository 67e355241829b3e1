import type { AuditItem, AuditReport } from '../documents/audit.ts';
import { printable } from '../printable.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Cell, renderTable } from '../tables/table.ts';
import { titleOf } from './finding-text.ts';

/** No consequence of a wrong reference is longer, so that each stays whole. */
const longest = 40;

const paintWord = { error: 'delete', warning: 'patch', info: 'unknown' } as const;

/** The findings that count; `wide` shows the others too, and the fixes. */
export function auditTable(report: AuditReport, options: RenderOptions, wide: boolean): string {
  return tableOf(shown(report, wide), options, wide, undefined);
}

/** A table for each rule or object, with how many findings it has. */
export function auditGroups(
  report: AuditReport,
  options: RenderOptions,
  wide: boolean,
  groupBy: 'rule' | 'object',
): string {
  const titles = new Map(report.rules.map(({ id, title }) => [id, title]));
  const heading = (item: AuditItem) =>
    groupBy === 'rule' ? `${item.rule}: ${titles.get(item.rule) ?? ''}` : titleOf(item);
  const style = styleOf(options);
  return [...Map.groupBy(shown(report, wide), heading)]
    .map(([title, items]) => {
      const head = style.bold(`${printable(title)} (${items.length})`);
      return `${head}\n${indented(tableOf(items, options, wide, groupBy))}`;
    })
    .join('\n');
}

function shown({ items }: AuditReport, wide: boolean): readonly AuditItem[] {
  return wide ? items : items.filter(({ status }) => status === 'new');
}

/** What the heading of a group says is in no column. */
function tableOf(
  items: readonly AuditItem[],
  options: RenderOptions,
  wide: boolean,
  groupBy: 'rule' | 'object' | undefined,
): string {
  const style = styleOf(options);
  const withPlaces = wide && items.some(({ place }) => place !== undefined);
  const columns: readonly (readonly [string, boolean, (item: AuditItem) => Cell])[] = [
    [
      'SEVERITY',
      true,
      ({ severity }) => ({ text: severity, paint: paintOf(style, paintWord[severity]) }),
    ],
    ['NAMESPACE', groupBy !== 'object', ({ object }) => ({ text: object.namespace })],
    ['NAME', groupBy !== 'object', ({ object }) => ({ text: `${object.kind}/${object.name}` })],
    ['RULE', groupBy !== 'rule', ({ rule }) => ({ text: rule })],
    [
      'CONSEQUENCE',
      true,
      ({ consequence }) => ({
        text: options.width === undefined ? consequence : brief(consequence),
      }),
    ],
    ['STATUS', wide, ({ status }) => ({ text: status })],
    ['FIX', wide, ({ fix }) => ({ text: fix.command ?? fix.summary })],
    ['PLACE', withPlaces, ({ place }) => ({ text: place ? `${place.path}:${place.line}` : '' })],
    ['MESSAGE', true, ({ message }) => ({ text: message })],
  ];
  const used = columns.filter(([, isUsed]) => isUsed);
  return renderTable(
    used.map(([header]) => header),
    items.map((item) => used.map(([, , cell]) => cell(item))),
    groupBy === undefined || options.width === undefined
      ? options
      : { ...options, width: options.width - 2 },
  );
}

/** On a terminal the message needs the room; the reasons come after a colon or a semicolon. */
function brief(consequence: string): string {
  const [what = ''] = consequence.split(/[:;] /, 1);
  return what.length > longest ? `${what.slice(0, longest - 1)}…` : what;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

import type { LeftAlone, Plan, PlannedObject } from '../../deletion/plan/plan.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../../kube/resource-type.ts';
import { printedName } from '../printable.ts';
import { type RenderOptions, styleOf } from '../style.ts';
import { fatePaint, fateWords, remarkLines, summaryLines } from './plan-lines.ts';
import { type Cell, renderTable } from './table.ts';

/** A plan as a preview: what it comes to, what to know, and every object wave by wave. */
export function planTable(plan: Plan, options: RenderOptions, wide: boolean): string {
  const headers = ['WAVE', 'KIND', 'NAMESPACE', 'NAME', 'FATE'];
  if (wide) headers.push('UID', 'RULE', 'BLOCKED BY');
  headers.push('WHY');
  const rows = plan.objects.map((object): Cell[] => [
    { text: String(object.wave) },
    ...objectCells(object, options),
    {
      text: fateWords(object.fate, object.then, object.likely),
      paint: fatePaint(object.fate, options),
    },
    ...(wide ? wideCells(object) : []),
    { text: object.because },
  ]);
  const summary = summaryLines(plan, options);
  const head = summary.length > 0 ? summary : ['nothing to delete'];
  const parts = [head, remarkLines(plan.remarks, options)].filter(({ length }) => length > 0);
  const blocks = parts.map((lines) => `${lines.join('\n')}\n`);
  if (rows.length > 0) blocks.push(renderTable(headers, rows, options));
  const { leftAlone = [] } = plan;
  if (leftAlone.length > 0) blocks.push(leftAloneTable(leftAlone, options));
  return blocks.join('\n');
}

function leftAloneTable(leftAlone: readonly LeftAlone[], options: RenderOptions): string {
  const rows = leftAlone.map(({ object, because }): Cell[] => [
    ...objectCells(object, options),
    { text: because },
  ]);
  return renderTable(['KIND', 'NAMESPACE', 'LEFT ALONE', 'WHY'], rows, options);
}

/** KIND, NAMESPACE and NAME; what is in no namespace is marked, as more hangs on it. */
export function objectCells(object: ObjectReference, options: RenderOptions): Cell[] {
  const { apiVersion, kind, namespace, name } = object;
  const group = parseApiVersion(apiVersion)?.group ?? '';
  const isWide = namespace === '';
  return [
    { text: printedKindOf({ group, kind }), paint: isWide ? styleOf(options).bold : undefined },
    { text: namespace || '<cluster>', paint: isWide ? styleOf(options).bold : undefined },
    { text: name },
  ];
}

function wideCells({ uid, rule, blockedBy }: PlannedObject): Cell[] {
  const blockers = blockedBy.slice(0, 3).map(({ kind, name }) => `${kind} ${name}`.trimEnd());
  const more = blockedBy.length - blockers.length;
  const text = blockers.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return [{ text: uid }, { text: rule }, { text: text || '<none>' }];
}

/** `kind.group/name` of every object, one a line. */
export function planNames({ objects }: Plan): string {
  return objects.map((object) => `${printedName(object)}\n`).join('');
}

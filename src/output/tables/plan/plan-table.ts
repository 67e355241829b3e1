import { serverRefuses } from '../../../deletion/plan/fates.ts';
import { isAboutData } from '../../../deletion/plan/going.ts';
import type { LeftAlone, Plan, PlannedObject } from '../../../deletion/plan/plan.ts';
import { counted } from '../../../kube/counts-by-kind.ts';
import { stacked } from '../../fit-text.ts';
import type { RenderOptions } from '../../style.ts';
import { type Column, renderItems } from '../table.ts';
import {
  type Grouping,
  groupedToFit,
  objectColumns,
  type Room,
  type Shared,
} from './alike-rows.ts';
import { summaryLines } from './plan-summary.ts';
import { fateWords, planColumns, refusalLines, remarkLines } from './plan-words.ts';

/**
 * A plan as a preview: the data that goes, the objects wave by wave, what to know, and what it comes to in one
 * sentence. What is alike is one row where all would not fit on a screen; wide has a row for each object.
 */
export function planTable(plan: Plan, options: RenderOptions, wide: boolean): string {
  const objects = wide ? plan.objects : refusedInShort(plan);
  return groupedToFit(objects, wide ? [] : groupings, options, (rows, room, look) =>
    previewOf(plan, rows, room, look, wide),
  );
}

/** The server's words for what it refuses stand below the rows, once. */
function refusedInShort({ objects, refusals = [] }: Plan): readonly PlannedObject[] {
  const refused = new Set(refusals.map(({ object }) => object?.uid));
  return objects.map((one) => (refused.has(one.uid) ? { ...one, because: serverRefuses } : one));
}

const oneLine = 70;
/** Letters of each list of remarks, about seven lines, and where there is little room. */
const someRemarks = 560;
const fewRemarks = 160;

const groupings: readonly Grouping<PlannedObject>[] = [
  {
    alike: (object) => `${object.wave} ${kindAndPlace(object)} ${object.because}`,
    letters: Number.POSITIVE_INFINITY,
  },
  { alike: kindAndPlace, letters: oneLine, remarks: someRemarks },
  { alike: kindAndPlace, letters: 0, remarks: someRemarks },
  {
    alike: (object) => `${object.namespace} ${resultOf(object)}`,
    letters: oneLine,
    remarks: someRemarks,
  },
  { alike: resultOf, letters: oneLine, remarks: someRemarks },
  { alike: resultOf, letters: 0, remarks: fewRemarks },
];

function kindAndPlace(object: PlannedObject): string {
  const { apiVersion, kind, namespace } = object;
  return `${apiVersion} ${kind} ${namespace} ${resultOf(object)}`;
}

function resultOf({ fate, then, likely }: PlannedObject): string {
  return fateWords(fate, then, likely);
}

function previewOf(
  plan: Plan,
  rows: Shared<PlannedObject>,
  { letters, remarks: most = Number.POSITIVE_INFINITY }: Room,
  options: RenderOptions,
  wide: boolean,
): string {
  const { remarks, leftAlone = [] } = plan;
  const summary = summaryLines(plan, options);
  const { data = [], others = [] } = Object.groupBy(remarks, (remark) =>
    isAboutData(remark) ? 'data' : 'others',
  );
  const columns = planColumns(letters, options);
  return stacked([
    linesOf(few(remarkLines(data, options), most, 'remark')),
    renderItems(rows, letters > 0 ? columns : columns.slice(0, -1), options, wide),
    leftAloneTable(leftAlone, options, wide),
    linesOf([
      ...few(remarkLines(others, options), most, 'remark'),
      ...few(refusalLines(plan, options), most, 'refusal'),
    ]),
    linesOf(summary.length > 0 ? summary : ['nothing to delete']),
  ]);
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The first lines with so many letters; the others are counted. */
function few(lines: readonly string[], most: number, noun: string): readonly string[] {
  let letters = 0;
  const shown = lines.filter(({ length }, index) => {
    letters += Math.max(length, 80);
    return index === 0 || letters <= most;
  });
  const more = lines.length - shown.length;
  const all = `${counted(more, `more ${noun}`)}: -o wide shows all`;
  return [...shown.map((line) => cutAt(line, most)), ...(more > 0 ? [all] : [])];
}

function cutAt(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

function leftAloneTable(
  leftAlone: readonly LeftAlone[],
  options: RenderOptions,
  wide: boolean,
): string {
  const draw = (rows: Shared<LeftAlone>, _: Room, look: RenderOptions) => {
    const objectsOf = (some: readonly LeftAlone[]) => some.map(({ object }) => object);
    const columns: Column<readonly LeftAlone[]>[] = [
      ...objectColumns(objectsOf, look, 'LEFT ALONE'),
      ['REASON', ([first]) => first?.because ?? ''],
    ];
    return renderItems(rows, columns, look);
  };
  return groupedToFit(leftAlone, wide ? [] : byReason, options, draw);
}

const byReason: readonly Grouping<LeftAlone>[] = [{ alike: ({ because }) => because, letters: 0 }];

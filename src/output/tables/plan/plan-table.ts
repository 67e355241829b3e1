import { isAboutData } from '../../../deletion/plan/data.ts';
import type { LeftAlone, Plan, PlannedObject, PlanRemark } from '../../../deletion/plan/plan.ts';
import { counted } from '../../../kube/counts-by-kind.ts';
import { stacked } from '../../fit-text.ts';
import type { RenderOptions } from '../../style.ts';
import { type Column, renderItems } from '../table.ts';
import { type Grouping, groupedToFit, objectColumns, type Shared } from './alike-rows.ts';
import { summaryLines } from './plan-summary.ts';
import { fateWords, planColumns, refusalLines, remarkLines } from './plan-words.ts';

/**
 * A plan as a preview: the data that goes, the objects wave by wave, what to know, and what it comes to in one
 * sentence. What is alike is one row where all would not fit on a screen; wide has a row for each object.
 */
export function planTable(plan: Plan, options: RenderOptions, wide: boolean): string {
  return groupedToFit(plan.objects, wide ? [] : groupings, options, (rows, letters, look) =>
    previewOf(plan, rows, letters, look, wide),
  );
}

const oneLine = 70;

const groupings: readonly Grouping<PlannedObject>[] = [
  {
    alike: (object) => `${object.wave} ${kindAndPlace(object)} ${object.because}`,
    letters: Number.POSITIVE_INFINITY,
  },
  { alike: kindAndPlace, letters: oneLine },
  { alike: kindAndPlace, letters: 0 },
  { alike: (object) => `${object.namespace} ${resultOf(object)}`, letters: oneLine },
  { alike: resultOf, letters: oneLine },
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
  letters: number,
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
    linesOf(fewRemarks(data, options, letters)),
    renderItems(rows, letters > 0 ? columns : columns.slice(0, -1), options, wide),
    leftAloneTable(leftAlone, options, wide),
    linesOf([...fewRemarks(others, options, letters), ...refusalLines(plan, options)]),
    linesOf(summary.length > 0 ? summary : ['nothing to delete']),
  ]);
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Where reasons are cut, so many letters of remarks are shown, about seven lines; the others are counted. */
const mostLetters = 560;

function fewRemarks(remarks: readonly PlanRemark[], options: RenderOptions, room: number) {
  const lines = remarkLines(remarks, options);
  if (room === Number.POSITIVE_INFINITY) return lines;
  let letters = 0;
  const shown = lines.filter(({ length }, index) => {
    letters += Math.max(length, 80);
    return index === 0 || letters <= mostLetters;
  });
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `${counted(more, 'more remark')}: -o wide shows all`] : shown;
}

function leftAloneTable(
  leftAlone: readonly LeftAlone[],
  options: RenderOptions,
  wide: boolean,
): string {
  const draw = (rows: Shared<LeftAlone>, _: number, look: RenderOptions) => {
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

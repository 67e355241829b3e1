import type { Fate, Plan, PlannedObject, PlanRemark } from '../../deletion/plan/plan.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { printable } from '../printable.ts';
import { type Paint, type RenderOptions, styleOf } from '../style.ts';
import { commonReason, objectColumns } from '../tables/alike-rows.ts';
import type { Cell, Column } from '../tables/table.ts';

/** In the order of a summary: what goes first. */
export const fatesInOrder: readonly Fate[] = [
  'deleted',
  'recreated',
  'terminating',
  'orphaned',
  'kept',
  'unknown',
];

export const fatePaints: Readonly<Partial<Record<Fate | 'untouched', Paint>>> = {
  deleted: 'red',
  recreated: 'red',
  terminating: 'magenta',
  orphaned: 'yellow',
  kept: 'green',
  unknown: 'cyan',
};

/** What becomes of an object: nothing has happened yet. */
const resultOf: Readonly<Record<Fate | 'untouched', string>> = {
  deleted: 'will be deleted',
  recreated: 'will be recreated',
  terminating: 'will be stuck',
  orphaned: 'will be orphaned',
  kept: 'stays',
  unknown: 'unknown',
  untouched: 'untouched',
};

/** What becomes of it later, once the finalizers that others have set are removed. */
const laterOf: Readonly<Record<Fate, string>> = {
  deleted: 'deleted',
  recreated: 'recreated',
  terminating: 'still stuck',
  orphaned: 'orphaned',
  kept: 'stays',
  unknown: 'unknown',
};

/** `will be stuck`, or `will be stuck, then deleted`; `(likely)` where that depends on a program that may not run. */
export function fateWords(
  fate: Fate | 'untouched',
  then: Fate | undefined,
  likely: true | undefined,
): string {
  const words = then === undefined ? resultOf[fate] : `${resultOf[fate]}, then ${laterOf[then]}`;
  return likely ? `${words} (likely)` : words;
}

/** `Would be refused: …`, and below it what allows it all the same: a text for each refusal. */
export function refusalLines({ refusals = [] }: Plan, options: RenderOptions): string[] {
  const { red } = styleOf(options);
  return refusals.map(({ message, suggestions }) =>
    [
      `${red('Would be refused:')} ${printable(message)}`,
      ...suggestions.map((suggestion) => `  ${printable(suggestion)}`),
    ].join('\n'),
  );
}

/** `Warning: …` and `Note: …`, warnings first. */
export function remarkLines(remarks: readonly PlanRemark[], options: RenderOptions): string[] {
  const style = styleOf(options);
  const warnings = remarks.filter(({ severity }) => severity === 'warning');
  const notes = remarks.filter(({ severity }) => severity === 'note');
  return [
    ...warnings.map(({ message }) => `${style.yellow('Warning:')} ${printable(message)}`),
    ...notes.map(({ message }) => `Note: ${printable(message)}`),
  ];
}

/** A plan as a table: a row for each object, or for what is alike. */
export function planColumns(letters: number): Column<readonly PlannedObject[]>[] {
  return [
    ['WAVE', wavesIn],
    ...objectColumns((objects: readonly PlannedObject[]) => objects),
    ['RESULT', ([first]) => (first ? resultCell(first) : '')],
    ['UID', ([first]) => first?.uid ?? '', 'wide'],
    ['RULE', ([first]) => first?.rule ?? '', 'wide'],
    ['BLOCKED BY', ([first]) => blockersIn(first) || '<none>', 'wide'],
    ['REASON', (objects) => commonReason(objects, letters)],
  ];
}

function wavesIn(objects: readonly PlannedObject[]): string {
  const waves = objects.map(({ wave }) => wave).sort((a, b) => a - b);
  const [first, last] = [waves[0], waves.at(-1)];
  return first === last ? String(first) : `${first}-${last}`;
}

function resultCell({ fate, then, likely }: PlannedObject): Cell {
  return { text: fateWords(fate, then, likely), paint: fatePaints[fate] };
}

function blockersIn(object: PlannedObject | undefined): string {
  return firstOf((object?.blockedBy ?? []).map(({ kind, name }) => `${kind} ${name}`.trimEnd()));
}

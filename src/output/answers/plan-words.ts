import type { Fate, Plan, PlannedObject, PlanRemark } from '../../deletion/plan/plan.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import type { Mark } from '../pages/marks.ts';
import { printable } from '../printable.ts';
import { type Paint, painted, type RenderOptions } from '../style.ts';
import { commonReason, objectColumns } from '../tables/alike-rows.ts';
import type { Column } from '../tables/table.ts';

/** How the fate of an object is told: nothing has happened yet. */
interface FateLook {
  readonly words: string;
  /** Once the finalizers that others have set are removed. */
  readonly later: string;
  readonly mark: Mark;
  readonly paint?: Paint;
}

export const fateLooks: Readonly<Record<Fate | 'untouched', FateLook>> = {
  deleted: { words: 'will be deleted', later: 'deleted', mark: 'goes', paint: 'red' },
  recreated: { words: 'will be recreated', later: 'recreated', mark: 'again', paint: 'red' },
  terminating: { words: 'will be stuck', later: 'still stuck', mark: 'stuck', paint: 'magenta' },
  orphaned: { words: 'will be orphaned', later: 'orphaned', mark: 'left', paint: 'yellow' },
  kept: { words: 'stays', later: 'stays', mark: 'stays', paint: 'green' },
  unknown: { words: 'unknown', later: 'unknown', mark: 'unknown', paint: 'cyan' },
  untouched: { words: 'untouched', later: 'untouched', mark: 'plain' },
};

/** In the order of a summary: what goes first. */
export const fatesInOrder = (Object.keys(fateLooks) as (Fate | 'untouched')[]).filter(
  (fate) => fate !== 'untouched',
);

/** `will be stuck`, or `will be stuck, then deleted`; `(likely)` where that depends on a program that may not run. */
export function fateWords({
  fate,
  then,
  likely,
}: {
  readonly fate: Fate | 'untouched';
  readonly then?: Fate;
  readonly likely?: true;
}): string {
  const { words } = fateLooks[fate];
  return `${words}${then ? `, then ${fateLooks[then].later}` : ''}${likely ? ' (likely)' : ''}`;
}

/** `Would be refused: …`, and below it what allows it all the same: a text for each refusal. */
export function refusalLines({ refusals = [] }: Plan, options: RenderOptions): string[] {
  return refusals.map(({ message, suggestions }) =>
    [
      `${painted('Would be refused:', 'red', options)} ${printable(message)}`,
      ...suggestions.map((suggestion) => `  ${printable(suggestion)}`),
    ].join('\n'),
  );
}

/** `Warning: …` and `Note: …`, warnings first. */
export function remarkLines(remarks: readonly PlanRemark[], options: RenderOptions): string[] {
  const heads = { warning: painted('Warning:', 'yellow', options), note: 'Note:' };
  return (['warning', 'note'] as const).flatMap((severity) =>
    remarks
      .filter((remark) => remark.severity === severity)
      .map(({ message }) => `${heads[severity]} ${printable(message)}`),
  );
}

/** A plan as a table: a row for each object, or for what is alike. */
export function planColumns(letters: number): Column<readonly PlannedObject[]>[] {
  return [
    ['WAVE', wavesIn],
    ...objectColumns((objects: readonly PlannedObject[]) => objects),
    [
      'RESULT',
      ([first]) => (first ? { text: fateWords(first), paint: fateLooks[first.fate].paint } : ''),
    ],
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

function blockersIn(object: PlannedObject | undefined): string {
  return firstOf((object?.blockedBy ?? []).map(({ kind, name }) => `${kind} ${name}`.trimEnd()));
}

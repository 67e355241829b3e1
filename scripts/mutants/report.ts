import type { Outcome } from './campaign.ts';
import type { Mutant } from './instrument.ts';

type State = 'killed' | 'survived' | 'unreached' | 'on load';

export interface Judged extends Mutant {
  readonly state: State;
  readonly by?: string;
}

/** A line for each folder, and each mutant with its end. */
export function report(
  mutants: readonly Mutant[],
  outcome: Outcome,
): { text: string; mutants: readonly Judged[] } {
  const judged = mutants.map((mutant): Judged => {
    const by = outcome.killed.get(mutant.id);
    return { ...mutant, state: stateOf(mutant, outcome), ...(by !== undefined && { by }) };
  });
  const folders = Map.groupBy(judged, ({ file }) =>
    file.split('/').slice(1, -1).slice(0, 2).join('/'),
  );
  const rows = [...folders, ['all', judged] as const].map(([folder, own]) => {
    const count = (state: State) => own.filter((mutant) => mutant.state === state).length;
    const tried = own.length - count('on load');
    const score = ((100 * count('killed')) / Math.max(1, tried)).toFixed(1);
    return [
      folder,
      own.length,
      count('on load'),
      count('killed'),
      count('survived'),
      count('unreached'),
      `${score} %`,
    ];
  });
  const heads = ['folder', 'mutants', 'on load', 'killed', 'survived', 'unreached', 'score'];
  const lines = [heads, ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? String(cell).padEnd(34) : String(cell).padStart(10)))
      .join(''),
  );
  const unused = [...outcome.unused].map(([test, why]) => `not used: ${test}: ${why}`);
  return { text: [...lines, ...unused].join('\n'), mutants: judged };
}

function stateOf({ id }: Mutant, { killed, reached, loaded }: Outcome): State {
  if (killed.has(id)) return 'killed';
  if (reached.has(id)) return 'survived';
  return loaded.has(id) ? 'on load' : 'unreached';
}

import {
  type Cascade,
  type ComparedObject,
  cascades,
  type DeletionComparison,
} from '../../deletion/plan/compare-policies.ts';
import { objectKey } from '../../kube/object-reference.ts';
import type { RenderOptions } from '../style.ts';
import { fatesInOrder, fateWords, remarkLines } from '../tables/plan/plan-words.ts';
import { ownersAmong } from './owners-among.ts';
import type { PageData, PageState } from './page-data.ts';
import { PageObjects, pageHead, stillView, titleOfSome } from './page-parts.ts';
import { fateMarks } from './plan-page.ts';

/** `delete --compare`: the same deletion with each policy, beside each other. */
export function comparisonPage(comparison: DeletionComparison, options: RenderOptions): PageData {
  const { objects, policies, remarks } = comparison;
  const all = objects.map(({ object }) => object);
  const references = ownersAmong(all, options.records);
  const owned = new Set(references.map(({ dependent }) => dependent));
  const roots = all.filter((object) => !owned.has(objectKey(object)));
  const counts = cascades.map((cascade) => {
    const told = fatesInOrder.flatMap((fate) =>
      policies[cascade][fate] > 0 ? [`${policies[cascade][fate]} ${fate}`] : [],
    );
    return `${cascade}: ${told.join(', ') || 'nothing happens'}`;
  });
  const shown = new PageObjects();
  for (const compared of objects) {
    const reasons = cascades.map(
      (cascade) => [`Reason, ${cascade}`, compared[cascade].because] as const,
    );
    shown.add(compared.object, stateOf(compared, 'background'), reasons);
  }
  return {
    ...pageHead(comparison, options),
    title: `Three ways to delete ${titleOfSome(roots)}`,
    summary: [...counts, ...remarkLines(remarks, { ...options, colour: false })],
    objects: shown.all(),
    references,
    views: cascades.map((cascade) => {
      const states = objects.map((compared) => [
        objectKey(compared.object),
        stateOf(compared, cascade),
      ]);
      return stillView(cascade, Object.fromEntries(states));
    }),
    table: {
      columns: cascades.map((cascade) => cascade[0]?.toUpperCase() + cascade.slice(1)),
      rows: objects.map((compared) => ({
        object: objectKey(compared.object),
        cells: cascades.map(
          (cascade) => `${stateOf(compared, cascade).words}: ${compared[cascade].because}`,
        ),
      })),
    },
  };
}

function stateOf(compared: ComparedObject, cascade: Cascade): PageState {
  const { fate, then, likely } = compared[cascade];
  return { mark: fateMarks[then ?? fate], words: fateWords(fate, then, likely) };
}

import { dataKinds, isData } from '../../history/deletions/deletions-in.ts';
import type { Requester } from '../../history/deletions/removal.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { guessPlural } from '../../kube/resource-type.ts';
import { piecesOf } from '../../output/document-parts.ts';
import type { DeletionsItem, DeletionsReport } from './document.ts';

/** What one request or several deleted. */
type DeletedObjects = Pick<DeletionsItem, 'objects' | 'collections'>;

/** Both names of an impersonation. */
export function accountOf(requester: Requester | undefined): string {
  const { user = '', impersonated } = requester ?? {};
  if (user === '') return impersonated ?? '<unknown>';
  return impersonated === undefined ? user : `${impersonated} (impersonated by ${user})`;
}

/** `1 Namespace, 9 Pods; all secrets and 30 more resources`: data first. */
export function deletedWords(
  { objects, collections }: DeletedObjects,
  most = Number.POSITIVE_INFINITY,
): string {
  const all = objects.map(({ object }) => object);
  const others = all.filter((one) => !isData(one));
  const kinds = new Set(others.map(({ kind }) => kind)).size;
  const otherWords =
    kinds > most ? `${counted(others.length, 'object')} of ${kinds} kinds` : countsByKind(others);
  const named = [countsByKind(all.filter(isData)), otherWords]
    .filter((words) => words !== '')
    .join(', ');
  const inOrder = [...new Set(collections)].sort((a, b) => dataRank(a) - dataRank(b));
  const more = inOrder.length - most;
  const rest = more > 0 ? ` and ${counted(more, 'more resource')}` : '';
  const unnamed = inOrder.length === 0 ? [] : [`all ${inOrder.slice(0, most).join(', ')}${rest}`];
  return [...(named === '' ? [] : [named]), ...unnamed].join('; ');
}

/** Data first. */
function dataRank(resource: string): number {
  const rank = dataResources.indexOf(resource);
  return rank < 0 ? dataResources.length : rank;
}

const dataResources = dataKinds.map(guessPlural);

/** A request, a rule of a controller, or that neither is known: `632 objects deleted, 3 causes.` */
export function deletionsSummary({ objects, items }: DeletionsReport): string {
  return `${counted(objects, 'object')} deleted, ${counted(items.length, 'cause')}.`;
}

/** For a page: the largest groups, and the words for the others. */
export function largestGroups(
  { items }: DeletionsReport,
  most: number,
): { readonly shown: readonly DeletionsItem[]; readonly others: readonly string[] } {
  const [shown = []] = piecesOf(items, most);
  const more = items.length - shown.length;
  const others = [`These are the ${shown.length} largest of ${items.length}: -o json lists all.`];
  return { shown, others: more > 0 ? others : [] };
}

/** How many objects of a group still exist. */
export function remainingWords({ objects }: DeletedObjects): string {
  return countOrBlank(objects.filter(({ state }) => state === 'remains'));
}

/** How many a backup contains: `2`, `2 and 1 might be`. */
export function savedWords({ objects }: DeletedObjects): string {
  const saved = objects.filter(({ backup }) => backup !== undefined);
  const unsure = saved.filter(({ backupCertainty }) => backupCertainty !== undefined);
  const sure = countOrBlank(saved.slice(unsure.length));
  const words = unsure.length === 0 ? '' : `${unsure.length} might be`;
  return [sure, words].filter((one) => one !== '').join(' and ');
}

function countOrBlank(objects: readonly unknown[]): string {
  return objects.length === 0 ? '' : String(objects.length);
}

import { isData } from '../../history/deletions/deletions-in.ts';
import type { Requester } from '../../history/deletions/removal.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
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

/** `1 Namespace, 9 Pods; all secrets`: data first. */
export function deletedWords({ objects, collections }: DeletedObjects): string {
  const all = objects.map(({ object }) => object);
  const named = [all.filter(isData), all.filter((one) => !isData(one))]
    .map(countsByKind)
    .filter((words) => words !== '')
    .join(', ');
  const unnamed = collections.length === 0 ? [] : [`all ${collections.join(', ')}`];
  return [...(named === '' ? [] : [named]), ...unnamed].join('; ');
}

/** `632 objects were deleted by 3 requests or rules.` */
export function deletionsSummary({ objects, items }: DeletionsReport): string {
  return `${counted(objects, 'object')} deleted, for ${counted(items.length, 'reason')}.`;
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

import { isData } from '../../history/deletions/deletions-in.ts';
import type { Requester } from '../../history/deletions/removal.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { Deletions, DeletionsItem } from './document.ts';

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
export function deletionsSummary({ items }: Deletions): string {
  const objects = items.reduce((sum, item) => sum + item.objects.length, 0);
  return `${counted(objects, 'object')} deleted, for ${counted(items.length, 'reason')}.`;
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

import type { ObjectRecord } from '../../kube/object-record.ts';
import type { DeletionIntent, TargetState } from './plan.ts';

/**
 * What a plan depends on, of an object that is to be deleted; undefined where that cannot be told from
 * its metadata: one selected by its fields is bound to its resourceVersion.
 */
export function targetStateOf(
  { finalizers, ownerReferences, deletionTimestamp, labels }: ObjectRecord,
  selectedBy: DeletionIntent['selectedBy'],
): TargetState | undefined {
  if (selectedBy === 'fields') return undefined;
  const owners = ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => uid + (blockOwnerDeletion === true ? ' (blocking)' : ''),
  );
  return {
    finalizers: [...finalizers].sort(),
    owners: owners.sort(),
    terminating: deletionTimestamp !== undefined,
    ...(selectedBy === 'labels' && { labels: sorted(labels ?? {}) }),
  };
}

/** The same with its fields in alphabetical order. */
export function sorted<T extends object>(fields: T): T {
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries) as T;
}

/** The first part that differs, with what it was and is, in words; undefined where nothing does. */
export function stateChange(
  before: TargetState,
  after: TargetState,
): { readonly what: string; readonly before: string; readonly after: string } | undefined {
  for (const field of ['finalizers', 'owners', 'terminating', 'labels'] as const) {
    if (before[field] === undefined) continue;
    const [was, is] = [JSON.stringify(before[field]), JSON.stringify(after[field])];
    if (was !== is) return { what: words[field], before: was ?? 'none', after: is ?? 'none' };
  }
  return undefined;
}

const words = {
  finalizers: 'finalizers',
  owners: 'owner references',
  terminating: 'deletion',
  labels: 'labels',
};

import type { Condition } from '../../kube/object-record.ts';

/** What one pass over a namespace's content found. */
export interface ContentFindings {
  readonly discoveryErrors: readonly string[];
  readonly contentErrors: readonly string[];
  /** `deployments.apps` (core kinds: `pods.`) to the number of objects left. */
  readonly remaining: ReadonlyMap<string, number>;
  /** By finalizer: the number of objects that it blocks. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Spelling {
  readonly type: string;
  readonly okReason: string;
  readonly okMessage: string;
  readonly reason: string;
  /** Undefined when there is nothing to complain about. */
  readonly complaint: (findings: ContentFindings) => string | undefined;
}

/** In the order of the controller. Mirrors status_condition_utils.go, v1.36.3 (GC-75). */
const spellings: readonly Spelling[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    okReason: 'ResourcesDiscovered',
    okMessage: 'All resources successfully discovered',
    reason: 'DiscoveryFailed',
    complaint: ({ discoveryErrors: errors }) =>
      errors.length === 0
        ? undefined
        : `Discovery failed for some groups, ${errors.length} failing: ${errors.join(', ')}`,
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    okReason: 'ParsedGroupVersions',
    okMessage: 'All legacy kube types successfully parsed',
    reason: 'GroupVersionParsingFailed',
    complaint: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    okReason: 'ContentDeleted',
    okMessage: 'All content successfully deleted, may be waiting on finalization',
    reason: 'ContentDeletionFailed',
    complaint: ({ contentErrors: errors }) =>
      errors.length === 0
        ? undefined
        : `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`,
  },
  {
    type: 'NamespaceContentRemaining',
    okReason: 'ContentRemoved',
    okMessage: 'All content successfully removed',
    reason: 'SomeResourcesRemain',
    complaint: ({ remaining }) =>
      listed('Some resources are remaining: ', remaining, (resource, count) => {
        return `${resource} has ${count} resource instances`;
      }),
  },
  {
    type: 'NamespaceFinalizersRemaining',
    okReason: 'ContentHasNoFinalizers',
    okMessage: 'All content-preserving finalizers finished',
    reason: 'SomeFinalizersRemain',
    complaint: ({ finalizers }) =>
      listed('Some content in the namespace has finalizers remaining: ', finalizers, (name, n) => {
        return `${name} in ${n} resource instances`;
      }),
  },
];

function listed(
  intro: string,
  counts: ReadonlyMap<string, number>,
  spell: (name: string, count: number) => string,
): string | undefined {
  if (counts.size === 0) return undefined;
  const parts = [...counts].map(([name, count]) => spell(name, count));
  return intro + parts.sort().join(', ');
}

/** The namespace's conditions after a pass; the same list when nothing changed. */
export function namespaceConditions(
  before: readonly Condition[],
  findings: ContentFindings,
  now: string,
): readonly Condition[] {
  const after = [...before];
  let changed = false;
  for (const { type, okReason, okMessage, reason, complaint } of spellings) {
    const message = complaint(findings);
    const wanted =
      message === undefined
        ? { type, status: 'False', reason: okReason, message: okMessage }
        : { type, status: 'True', reason, message };
    const at = after.findIndex((condition) => condition.type === type);
    const old = after[at];
    if (
      old?.status === wanted.status &&
      old.reason === wanted.reason &&
      old.message === wanted.message
    ) {
      continue;
    }
    const since = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now;
    const condition = { ...wanted, lastTransitionTime: since };
    if (old) after[at] = condition;
    else after.push(condition);
    changed = true;
  }
  return changed ? after : before;
}

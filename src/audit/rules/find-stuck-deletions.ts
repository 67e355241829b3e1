import {
  byContent,
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../kube/shell-command.ts';
import { age } from '../../kube/time.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import type { AuditView, AuditViolation, StuckDeletion } from './audit-rule.ts';

/**
 * The maximum number of deletions to examine; each may lead through everything in its namespace.
 */
const most = 500;

/** What cannot end: a namespace, a foreground deletion, or any other deletion. */
export type DeletionSort = 'namespace' | 'foreground' | 'object';

/** The deletions of one sort that do not end, as `why` explains them. */
export function findStuckDeletions(view: AuditView, ending: DeletionSort): AuditViolation[] {
  const { graph, now } = view;
  const held = graph.snapshot.records
    .filter((record) => isBeingDeleted(record) && mayBe(record, ending))
    .sort(byContent);
  for (const record of held.slice(most)) {
    view.cannotTell(record, `only ${most} deletions are looked at`);
  }
  return held.slice(0, most).flatMap((record) => {
    const holdup = view.holdupOf(record);
    if (!holdup || sortOf(record, holdup) !== ending) return [];
    if (holdup.state === 'unread') {
      view.cannotTell(record, holdup.because);
      return [];
    }
    // The rules about rings report that already.
    if (holdup.isOwnRing) return [];
    return [violationOf(record, holdup, now)];
  });
}

/** The sort may be known before the diagnosis. */
function mayBe(record: ObjectRecord, ending: DeletionSort): boolean {
  if (isNamespace(record)) return ending === 'namespace';
  return ending === 'object' || (ending === 'foreground' && isDeletingDependents(record));
}

function sortOf(record: ObjectRecord, { isForeground }: StuckDeletion): DeletionSort {
  if (isNamespace(record)) return 'namespace';
  return isForeground ? 'foreground' : 'object';
}

function violationOf(record: ObjectRecord, holdup: StuckDeletion, now: number): AuditViolation {
  const { state, because, by, next, hasStep } = holdup;
  const why = shellCommand`kubectl gc why ${addressOf(record)}`;
  return {
    object: record,
    message: `being deleted for ${age(record.deletionTimestamp, now)}: ${because}`,
    related: by,
    fix: hasStep
      ? { summary: next || 'take the step that is offered', command: `${why} --fix` }
      : { summary: next || 'look at what holds it', command: why },
    ...(state !== 'stuck' && { severity: 'warning', confidence: 'likely' }),
  };
}

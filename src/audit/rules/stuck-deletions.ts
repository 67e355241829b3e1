import { byContent, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../kube/shell-command.ts';
import { age } from '../../kube/time.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import {
  blockersOf,
  type Cause,
  firstFix,
  type Link,
  linksOf,
  stateOf,
  unreadOf,
} from '../../why/chain.ts';
import { isDue, isLate } from '../../why/deletion-age.ts';
import { diagnosesIn, mostDeletions } from '../../why/investigate.ts';
import type { StuckDeletion, View, Violation } from '../rule.ts';

/** The deletions that do not end, as `why` explains them. */
export function findStuckDeletions(view: View): Violation[] {
  const { graph, now } = view;
  const held = graph.snapshot.records.filter(isBeingDeleted).sort(byContent);
  for (const record of held.slice(mostDeletions)) {
    view.cannotTell(record, `only ${mostDeletions} deletions are looked at`);
  }
  return held.slice(0, mostDeletions).flatMap((record) => {
    const holdup = view.holdupOf(record);
    if (!holdup) return [];
    if (holdup.unread !== undefined) view.cannotTell(record, holdup.unread);
    if (holdup.state === 'progressing') return [];
    // The rules about rings report that already.
    if (holdup.isOwnRing) return [];
    return [violationOf(record, holdup, now)];
  });
}

function violationOf(record: ObjectRecord, holdup: StuckDeletion, now: number): Violation {
  const { state, cause, reason, by, next, hasStep } = holdup;
  const step = hasStep ? ['--fix'] : [];
  const command = shellCommand`kubectl gc why ${addressOf(record)} ${step}`;
  return {
    object: record,
    message: `being deleted for ${age(record.deletionTimestamp, now)}: ${reason}`,
    ...(cause && { cause }),
    related: by,
    fix: {
      summary: next || (hasStep ? 'take the step that is offered' : 'look at what holds it'),
      command,
    },
    ...(state !== 'stuck' && {
      severity: 'warning',
      confidence: 'likely',
      consequence: state === 'unknown' ? perhapsNever : late,
    }),
  };
}

const perhapsNever = 'perhaps never gone: whether anything ends its deletion is unknown';
const late = 'late: what is at work on its deletion has not ended it within a day';

/** What `why` says of the objects that are being deleted, each asked for once; `asked` are answers of the cluster itself. */
export function stuckDeletionsIn(
  { snapshot, withUid }: Graph,
  now: number,
  asked: ReadonlyMap<ObjectRecord, Link> | undefined,
): (record: ObjectRecord) => StuckDeletion | undefined {
  let explain: ReturnType<typeof diagnosesIn> | undefined;
  const known = new Map<ObjectRecord, StuckDeletion | undefined>();

  return (record) => {
    if (!known.has(record)) known.set(record, holdupOf(record));
    return known.get(record);
  };

  function holdupOf(record: ObjectRecord): StuckDeletion | undefined {
    if (!isDue(record, now)) return undefined;
    const chain = asked?.get(record) ?? diagnosisOf(record);
    const state = stateOf(chain);
    if (state === 'stuck') return told(record, 'stuck', blockersOf(chain), chain);
    const unread = unreadIn(chain);
    if (state === 'unknown') {
      return { ...told(record, state, blockersOf(chain), chain), unread };
    }
    if (state !== 'progressing') return undefined;
    const waiting = linksOf(chain).filter(({ state: each }) => each === 'waiting');
    const pace = isLate(record, now) ? 'late' : state;
    return { ...told(record, pace, waiting.slice(-1), chain), unread };
  }

  function diagnosisOf(record: ObjectRecord): Link {
    explain ??= diagnosesIn(snapshot, now);
    return explain(record);
  }

  function told(
    record: ObjectRecord,
    state: StuckDeletion['state'],
    blockers: readonly Link[],
    chain: Link,
  ): StuckDeletion {
    const [first, ...more] = blockers;
    const name =
      first?.object.uid &&
      first.object.uid !== record.uid &&
      !first.because.includes(first.object.name)
        ? `${first.object.kind} ${first.object.name}: `
        : '';
    const others = more.length === 0 ? '' : `; and ${more.length} more`;
    const holders = blockers.flatMap(({ object: { uid } }) => withUid(uid) ?? []);
    const ownRing =
      blockers.length > 0 &&
      blockers.every(
        ({ cause, object }) =>
          object.uid === record.uid && (cause === 'self-owner' || cause === 'ownership-ring'),
      );
    return {
      state,
      isOwnRing: ownRing,
      cause: first?.cause,
      unread: undefined,
      reason: first ? `${name}${first.because}${others}` : '',
      by: [...new Set(holders)].filter((holder) => holder !== record),
      next: first?.next ?? '',
      hasStep: firstFix(chain) !== undefined,
    };
  }
}

/** Links that are there because something could not be read. */
const gaps = new Set<Cause>(['foreground-unread', 'namespace-unread']);

function unreadIn(chain: Link): string | undefined {
  const missing = unreadOf(linksOf(chain)).map(({ what }) => what);
  if (missing.length > 0) return `could not be read: ${missing.join(', ')}`;
  return linksOf(chain).some(({ cause }) => gaps.has(cause))
    ? blockersOf(chain)[0]?.because
    : undefined;
}

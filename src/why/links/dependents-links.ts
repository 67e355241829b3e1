import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import {
  byContent,
  FOREGROUND,
  isBeingDeleted,
  type ObjectRecord,
  ORPHAN,
} from '../../kube/object-record.ts';
import { kindAndName } from '../../kube/object-reference.ts';
import { isMonitored } from '../../kube/resource-type.ts';
import { garbageCollectorName } from '../../settings/enabled-controllers.ts';
import { dependentsThatBlock } from '../../snapshot/graph/blockers.ts';
import { blockingIndex } from '../../snapshot/graph/graph.ts';
import { deepest, type Link, link, type Trail, widest } from '../chain.ts';
import { invalidReferencesCommandOf, removeFinalizer, stopBlocking } from '../fix-request.ts';
import { type Content, type Evidence, evidenceOf, type Inquiry, type Reading } from '../inquiry.ts';
import { judgeByAsking } from '../judge-by-asking.ts';
import { controllerManagerLink, overdueLink } from './program-links.ts';
import { judgingPolicies } from './refusal-links.ts';
import { rehearseDeletion, rehearseRelease, rehearseRemoval } from './rehearsals.ts';
import { unreadKindLinks } from './unreadable-kind-links.ts';

/** foregroundDeletion: which dependents block, or that none is left (GC-23). */
export function foregroundLink(inquiry: Inquiry, record: ObjectRecord, trail: Trail): Link {
  const near = record.type.namespaced
    ? inquiry.ask({ ask: 'content', namespace: record.namespace })
    : undefined;
  let blockers = blocking(near, record);
  // A dependent refers by uid from any namespace; the whole cluster is read only if none is found
  // nearby.
  const all = blockers.length === 0 ? inquiry.ask({ ask: 'content', namespace: undefined }) : near;
  if (blockers.length === 0) blockers = blocking(all, record);
  const evidence = evidenceOf(
    all ?? { state: 'pending', what: '' },
    ({ records, unread }) =>
      `${counted(records.length, 'object')} read, ${blockers.length} ${blockers.length === 1 ? 'blocks' : 'block'} ${kindAndName(record)}${unread.length > 0 ? `; ${counted(unread.length, 'kind')} could not be read` : ''}`,
  );
  const details = { finalizer: FOREGROUND, rule: 'GC-23' };
  const readAt = all?.state === 'read' ? all.readAt : '';
  if (blockers.length > 0) {
    const followed = blockers.slice(0, widest);
    const names = followed.map(kindAndName).join(', ');
    const more = blockers.length - followed.length;
    const because = `foregroundDeletion waits for ${blockers.length === 1 ? 'a dependent that blocks' : `${blockers.length} dependents that block`}: ${names}${more > 0 ? ` and ${more} more` : ''}`;
    return link(record, 'foreground-blocked', 'waiting', because, {
      ...details,
      evidence,
      links: followed.map((one) => blockerLink(inquiry, record, one, trail, readAt)),
    });
  }
  const unread = all?.state === 'read' ? all.value.unread : undefined;
  if (unread === undefined || unread.length > 0) {
    const because =
      'foregroundDeletion waits for dependents; none is in what could be read, but not everything could be read';
    return link(record, 'foreground-unread', 'unknown', because, {
      ...details,
      evidence,
      links: [...judgingPolicies(inquiry, record), ...unreadKindLinks(inquiry, unread ?? [])],
    });
  }
  return nothingBlocks(inquiry, record, evidence);
}

function nothingBlocks(
  inquiry: Inquiry,
  record: ObjectRecord,
  evidence: readonly Evidence[],
): Link {
  const risk =
    'none known: no dependent waits for it; should one appear, the garbage collector deletes it in the background';
  return overdueLink(inquiry, record, 'foreground-lost', {
    controller: garbageCollectorName,
    because: `no dependent blocks ${kindAndName(record)} any more, but the garbage collector has not removed foregroundDeletion`,
    rule: 'GC-23',
    finalizer: FOREGROUND,
    evidence,
    dryRun: rehearseRemoval(inquiry, record, FOREGROUND, garbageCollectorName),
    judges: judgingPolicies(inquiry, record),
    next: 'If the garbage collector runs, it missed the event: remove the finalizer, which is all that it would do.',
    fix: removeFinalizer(record, FOREGROUND, risk),
  });
}

function blocking(content: Reading<Content> | undefined, owner: ObjectRecord): ObjectRecord[] {
  if (content?.state !== 'read') return [];
  let byOwner = blockersIn.get(content.value);
  if (!byOwner) {
    byOwner = dependentsThatBlock(content.value.records.filter(({ type }) => isMonitored(type)));
    blockersIn.set(content.value, byOwner);
  }
  return (byOwner.get(owner.uid) ?? []).toSorted(byContent);
}

/** Many deletions ask about the same content, which is immutable. */
const blockersIn = new WeakMap<Content, ReadonlyMap<string, readonly ObjectRecord[]>>();

/** The reference that blocks. */
function edgeEvidence(owner: ObjectRecord, dependent: ObjectRecord, readAt: string): Evidence {
  const index = blockingIndex(dependent, owner.uid);
  return {
    what: `${dependent.type.kind}/${dependent.name}`,
    readAt,
    value: `ownerReferences[${index}] names uid ${owner.uid} with blockOwnerDeletion: true; ${dependent.deletionTimestamp === undefined ? 'not being deleted' : `being deleted since ${dependent.deletionTimestamp}`}`,
  };
}

/** Why is a blocking dependent still there? */
function blockerLink(
  inquiry: Inquiry,
  owner: ObjectRecord,
  dependent: ObjectRecord,
  trail: Trail,
  readAt: string,
): Link {
  const isNamed = [owner.uid, ...trail.uids].includes(dependent.uid);
  const isNext = !isNamed && trail.uids.length < deepest;
  if (isNext && isBeingDeleted(dependent)) return trail.follow(dependent);
  const evidence = [edgeEvidence(owner, dependent, readAt)];
  return isNext
    ? notDeleted(inquiry, owner, dependent, evidence)
    : lastLink(owner, dependent, trail, evidence);
}

/** Where the chain ends, as it returns to an object or is too long. */
function lastLink(
  owner: ObjectRecord,
  dependent: ObjectRecord,
  trail: Trail,
  evidence: readonly Evidence[],
): Link {
  if (dependent.uid === owner.uid) {
    return link(dependent, 'self-owner', 'blocked', 'it owns itself and blocks its own deletion', {
      rule: 'E7',
      evidence,
      next: 'Let it stop blocking itself.',
      fix: stopBlocking(dependent, owner),
    });
  }
  if (trail.uids.includes(dependent.uid)) {
    const because = `the chain already names it: these objects own each other, and each waits for the next`;
    return link(dependent, 'ownership-ring', 'blocked', because, {
      rule: 'E4',
      evidence,
      next: 'Let one member of the ring stop blocking; the others then follow.',
      fix: stopBlocking(dependent, owner),
    });
  }
  return link(dependent, 'unknown', 'unknown', `the chain is longer than ${deepest} objects`, {
    evidence,
    next: `Ask for ${kindAndName(dependent)}.`,
  });
}

/**
 * A blocking dependent that is not being deleted: the garbage collector will not delete it, cannot,
 * or does not run.
 */
function notDeleted(
  inquiry: Inquiry,
  owner: ObjectRecord,
  dependent: ObjectRecord,
  edge: readonly Evidence[],
): Link {
  const { judgement, evidence: looked } = judgeByAsking(inquiry, dependent);
  const evidence = [...edge, ...looked];
  const fix = stopBlocking(dependent, owner);
  if (judgement.action === 'frozen') {
    return link(dependent, 'dependent-frozen', 'blocked', judgement.because, {
      rule: judgement.rule,
      evidence,
      next: 'Let the object stop blocking, or correct the reference that cannot be resolved.',
      command: suggested('To remove that', invalidReferencesCommandOf(dependent, '--fix')),
      fix,
    });
  }
  if (judgement.action === 'unknown') {
    const { rule } = judgement;
    return link(dependent, 'unknown', 'unknown', judgement.because, { rule, evidence });
  }
  const {
    evidence: dryRun,
    refusal,
    accepted,
  } = rehearseDeletion(inquiry, dependent, garbageCollectorName);
  const manager = controllerManagerLink(inquiry, garbageCollectorName);
  const isHeld = refusal !== undefined || manager.state === 'blocked';
  const does =
    judgement.action === 'delete'
      ? 'the garbage collector would delete it'
      : 'the garbage collector would remove the reference';
  const hint = accepted ? '' : ', as far as is known';
  const because = `${does} (${judgement.because}), but has not done so${isHeld ? '' : `, and nothing forbids it${hint}`}`;
  const state = isHeld ? 'waiting' : manager.state === 'unknown' ? 'unknown' : 'blocked';
  return link(dependent, 'dependent-not-collected', state, because, {
    rule: judgement.rule,
    evidence: [...evidence, ...dryRun],
    links: refusal ? [refusal] : [manager],
    ...(!isHeld && lookAtGarbageCollector(inquiry)),
  });
}

/** orphan: dependents that still refer to the object, or that none does (GC-37). */
export function orphanLink(inquiry: Inquiry, record: ObjectRecord): Link {
  const reading = inquiry.ask({ ask: 'content', namespace: undefined });
  const dependents =
    reading.state === 'read'
      ? reading.value.records.filter(
          ({ type, ownerReferences }) =>
            isMonitored(type) && ownerReferences.some(({ uid }) => uid === record.uid),
        )
      : [];
  const evidence = evidenceOf(
    reading,
    ({ records }) =>
      `${counted(records.length, 'object')} read, ${dependents.length} ${dependents.length === 1 ? 'refers' : 'refer'} to it`,
  );
  const details = { finalizer: ORPHAN, rule: 'GC-37' };
  if (dependents.length > 0) {
    const manager = controllerManagerLink(inquiry, garbageCollectorName);
    const refusals = dependents
      .slice(0, 3)
      .flatMap((one) => rehearseRelease(inquiry, one, record).refusal ?? []);
    const isClear = manager.state === 'fine' && refusals.length === 0;
    const because = `orphan waits until the garbage collector has removed the references of ${counted(dependents.length, 'dependent')}`;
    return link(record, 'orphaning', isClear ? 'blocked' : 'waiting', because, {
      ...details,
      evidence,
      links: [...refusals, manager],
      ...lookAtGarbageCollector(inquiry),
    });
  }
  const unread = reading.state === 'read' ? reading.value.unread : undefined;
  if (unread === undefined || unread.length > 0) {
    const because = 'orphan waits for dependents; not all kinds could be read';
    return link(record, 'orphaning', 'unknown', because, {
      ...details,
      evidence,
      links: unreadKindLinks(inquiry, unread ?? []),
    });
  }
  return overdueLink(inquiry, record, 'orphaning-lost', {
    ...details,
    controller: garbageCollectorName,
    because: 'no object refers to it any more, but the garbage collector has not removed orphan',
    evidence,
    next: 'Remove the finalizer: no dependents remain to orphan.',
    fix: removeFinalizer(record, ORPHAN, 'none known: nothing refers to it'),
  });
}

/** Plain files do not show whether it works, and `--gc` refuses them. */
function lookAtGarbageCollector({ origin }: Inquiry) {
  if (origin === 'files') return undefined;
  return {
    command: suggested('To look at the garbage collector', shellCommand`kubectl gc why --gc`),
  };
}

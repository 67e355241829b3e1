import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import type { AppliedBy } from '../../delivery/tool.ts';
import { appliedBy, inventoryOf, placesOf } from '../../delivery/tools.ts';
import { configMapType, eventType, secretType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf, kindAndName, type ObjectLocation } from '../../kube/object-reference.ts';
import { objectEventOf } from '../../programs/object-event.ts';
import { garbageCollectorName } from '../../settings/enabled-controllers.ts';
import { type Cause, deepest, type Link, link } from '../chain.ts';
import { invalidReferencesCommandOf } from '../fix-request.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  presence,
  type Reading,
  seenIn,
  valueIn,
} from '../inquiry.ts';
import { judgeByAsking } from '../judge-by-asking.ts';
import { controllerLinks, remainsLinks } from './controller-links.ts';
import { silentHomeLinks } from './pod-links.ts';
import { controllerManagerLink } from './program-links.ts';
import { rehearseDeletion } from './rehearsals.ts';
import { leftOfRelease } from './release-links.ts';
import { newestEventLinks } from './report-links.ts';
import { attachedLink } from './volume-links.ts';

/**
 * An object that is not being deleted: what keeps it, up to the roots, and what the garbage collector
 * and the other controllers would do. `way` leads from the object that was asked about to this one.
 */
export function liveLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  way: readonly ObjectRecord[] = [],
): Link {
  const { judgement, owners, evidence } = judgeByAsking(inquiry, record);
  const { action, because, rule, references } = judgement;
  const remains = way.length === 0 ? remainsLinks(inquiry, record) : [];
  const deciding = controllerLinks(inquiry, record);
  const isDeleted =
    action === 'delete' || deciding.some(({ cause }) => cause === 'controller-deletes');
  const links = [
    ...remains,
    ...deciding,
    ...(isDeleted && way.length === 0 ? silentHomeLinks(inquiry, record) : []),
    ...(record.facts?.attachment ? [attachedLink(inquiry, record)] : []),
    ...eventLinks(inquiry, record, way),
  ];
  switch (action) {
    case 'unowned':
      return unownedLink(inquiry, record, { rule, evidence, links });
    case 'keep':
    case 'patch': {
      const solid = references.filter((reference) => reference.class === 'solid');
      const above = owners.filter(({ uid }) =>
        solid.some(({ reference }) => reference.uid === uid),
      );
      return link(record, 'owned', 'holds', because, {
        rule,
        evidence,
        links: [...above.flatMap((owner) => ownerLink(inquiry, record, owner, way)), ...links],
        next:
          action === 'patch' &&
          controllerManagerLink(inquiry, garbageCollectorName).state !== 'blocked'
            ? 'The garbage collector removes the references that are not solid on its next pass.'
            : '',
      });
    }
    case 'delete':
      return collectable(inquiry, record, because, { rule, evidence, links });
    case 'frozen':
      return link(record, 'frozen', 'holds', because, {
        rule,
        evidence,
        links,
        command: suggested('To see the reference and the fix', invalidReferencesCommandOf(record)),
      });
    case 'ignored':
      return link(record, 'not-watched', 'holds', because, { rule, evidence, links });
    default:
      return link(record, 'unknown', 'unknown', because, { rule, evidence, links });
  }
}

/** An object without owners: it lives until somebody deletes it, unless one of these links says who does. */
function unownedLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  { rule, evidence, links }: Pick<Link, 'rule' | 'evidence' | 'links'>,
): Link {
  const ends = new Set(links.map(({ cause }) => cause));
  const until =
    untilWords.find(([end]) => ends.has(end))?.[1] ?? ', so it lives until it is deleted';
  const left = links.find(({ cause }) => cause === 'left-behind');
  const applied = appliedAgain(inquiry, record);
  const because = `${left?.because ?? 'it has no owner'}${until}${applied?.because ?? ''}`;
  return link(record, 'unowned', 'holds', because, {
    rule: left?.rule || rule,
    evidence: [...evidence, ...(left?.evidence ?? []), ...(applied?.evidence ?? [])],
    links: links.filter((one) => one !== left),
  });
}

/** What is sure comes first: of several controllers each may delete it. */
const untilWords: readonly (readonly [Cause, string])[] = [
  ['controller-deletes', ', but a controller deletes it'],
  ['controller-unknown', '; whether a controller deletes it is not known'],
];

/** One owner of a live object: what keeps it in turn, or the cycle that it closes. */
function ownerLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  owner: ObjectRecord,
  way: readonly ObjectRecord[],
): Link[] {
  const path = [...way, record];
  const start = path.findIndex(({ uid }) => uid === owner.uid);
  if (start < 0 && isBeingDeleted(owner)) return [terminatingOwnerLink(owner)];
  if (start < 0) return way.length >= deepest ? [] : [liveLink(inquiry, owner, path)];
  if (owner.uid === record.uid) {
    return [
      link(record, 'self-owner', 'holds', 'it owns itself, so it is never collected', {
        rule: 'GC-22.10',
        command: suggested(
          'To see the reference, and to remove it',
          invalidReferencesCommandOf(record, '--fix'),
        ),
      }),
    ];
  }
  const cycle = [...path.slice(start), owner].map(kindAndName);
  return [
    link(
      owner,
      'ownership-ring',
      'holds',
      `these objects own each other in a cycle, so none of them is ever collected: ${cycle.join(' is owned by ')}`,
      {
        rule: 'GC-22.10',
        next: 'Remove the reference that should not exist. Only its author knows which one that is, so no fix is offered.',
        command: suggested(
          'To delete all of them',
          shellCommand`kubectl delete ${addressOf(owner)} --cascade=foreground`,
        ),
      },
    ),
  ];
}

/** The garbage collector looks at the dependents of an owner again when that has been deleted (GC-18). */
function terminatingOwnerLink(owner: ObjectRecord): Link {
  const because =
    'it is being deleted; the garbage collector decides about its dependents afterwards';
  return link(owner, 'terminating', 'holds', because, {
    rule: 'GC-18',
    command: suggested('To see what blocks it', shellCommand`kubectl gc why ${addressOf(owner)}`),
  });
}

/** Garbage that the garbage collector is about to delete, unless something refuses that or it does not run. */
function collectable(
  inquiry: Inquiry,
  record: ObjectRecord,
  because: string,
  { rule, evidence, links }: Pick<Link, 'rule' | 'evidence' | 'links'>,
): Link {
  const { refusal, evidence: dryRun } = rehearseDeletion(inquiry, record, garbageCollectorName);
  const manager = controllerManagerLink(inquiry, garbageCollectorName);
  const held = [refusal ?? [], manager].flat().filter(({ state }) => state === 'blocked');
  const doubts = refusal?.state === 'unknown' ? [refusal] : [];
  if (held.length === 0 && isThereLater(inquiry, record)) {
    const late = `overdue: the garbage collector should have deleted it: ${because}`;
    return link(record, 'overdue', 'waiting', late, {
      rule,
      evidence: [...evidence, ...dryRun],
      links: [...doubts, manager, ...links],
      command: suggested('To check the garbage collector', shellCommand`kubectl gc why --gc`),
    });
  }
  const does = held.length > 0 ? 'would delete it' : 'deletes it on its next pass';
  return link(record, 'collectable', 'waiting', `the garbage collector ${does}: ${because}`, {
    rule,
    evidence: [...evidence, ...dryRun],
    links: [...held, ...doubts, ...links],
    next: 'To keep it, remove its ownerReferences now.',
  });
}

/** Is garbage still there some seconds later? The garbage collector processes an object within milliseconds of the event. */
function isThereLater(inquiry: Inquiry, { type, namespace, name, uid }: ObjectRecord): boolean {
  if (inquiry.origin !== 'cluster') return false;
  const later = inquiry.ask({ ask: 'object', type, namespace, name, isLater: true });
  const found = valueIn(later);
  return found?.uid === uid && !isBeingDeleted(found);
}

/** Warnings of the garbage collector about this object, and on a cluster what other controllers warn of. */
function eventLinks(inquiry: Inquiry, record: ObjectRecord, way: readonly ObjectRecord[]): Link[] {
  if (inquiry.origin === 'files' || way.length > 0) return [];
  const namespace = record.namespace === '' ? 'default' : record.namespace;
  const reason = 'OwnerRefInvalidNamespace';
  const which = inquiry.origin === 'cluster' ? 'type=Warning' : `reason=${reason}`;
  const fields = `involvedObject.uid=${record.uid},${which}`;
  const events = inquiry.ask({ ask: 'events', type: eventType, namespace, fields });
  const all = (valueIn(events) ?? []).map(objectEventOf);
  const own = all.filter((event) => event.reason === reason);
  const others = newestEventLinks(
    inquiry,
    record,
    all.filter((event) => event.reason !== reason),
  );
  const message = own.at(-1)?.message;
  if (message === undefined) return others;
  return [
    link(record, 'event', 'fine', `the garbage collector warned: ${message}`, {
      rule: 'GC-46',
      evidence: evidenceOf(events, () => `${counted(own.length, 'event')} ${reason}`),
      command: suggested('To see the reference and the fix', invalidReferencesCommandOf(record)),
    }),
    ...others,
  ];
}

/** The delivery tool that applied an object, and whether it does so again when the object is deleted. */
function appliedAgain(
  inquiry: Inquiry,
  record: ObjectRecord,
): { readonly because: string; readonly evidence: readonly Evidence[] } | undefined {
  const applied = appliedBy(record);
  if (!applied) return undefined;
  const because = `; ${applied.who} applied it`;
  const [place] = applied.by ? placesOf(applied.by, inquiry.types) : [];
  if (!place)
    return (
      leftOfRelease(inquiry, record) ??
      parentOfApplySet(inquiry, record, because) ?? { because, evidence: [] }
    );
  const reading = inquiry.ask({ ask: 'object', ...place });
  const tool = valueIn(reading) ?? elsewhere(inquiry, reading, place, applied.by);
  const evidence = presence(reading);
  // The objects of an Application need not name its namespace.
  if (reading.state === 'read' && !tool && applied.by?.namespace)
    return { because: `${because}, which does not exist`, evidence };
  const inventory = tool && inventoryOf(tool);
  if (!inventory || inventory === 'unknown') return { because, evidence };
  const again = inventory.recreates(record);
  if (!again) return { because, evidence };
  return {
    because:
      'when' in again
        ? `${because}, and recreates it ${again.when}`
        : `${because}, and may recreate it: ${again.doubt}`,
    evidence,
  };
}

/** The object of a tool that was not where most installations have it: an Application need not name its namespace. */
function elsewhere(
  inquiry: Inquiry,
  { state }: Reading<unknown>,
  { type, name }: ObjectLocation,
  by: AppliedBy['by'],
): ObjectRecord | undefined {
  if (state === 'pending' || by?.namespace !== '' || !type.namespaced) return undefined;
  const all = inquiry.ask({ ask: 'list', type, namespace: undefined });
  const [one, ...more] = seenIn(all).filter((record) => record.name === name);
  return more.length === 0 ? one : undefined;
}

/** The parent of an ApplySet of kubectl, which is a Secret or a ConfigMap unless somebody chose a kind of their own. */
function parentOfApplySet(
  inquiry: Inquiry,
  { labels = {} }: ObjectRecord,
  because: string,
): ReturnType<typeof appliedAgain> {
  const id = labels['applyset.kubernetes.io/part-of'];
  if (id === undefined) return undefined;
  const query = { namespace: undefined, labels: { 'applyset.kubernetes.io/id': id } };
  const readings = [secretType, configMapType].map((type) => {
    const reading = inquiry.ask({ ask: 'list', type, ...query });
    const [found] = valueIn(reading) ?? [];
    const parent = found && fullNameOf(found);
    return { parent, reading, evidence: evidenceOf(reading, () => parent ?? 'none') };
  });
  const parent = readings.flatMap((one) => one.parent ?? [])[0];
  const isRead = readings.every(({ reading }) => reading.state === 'read');
  const none = isRead ? '; no Secret and no ConfigMap is its parent, and another kind may be' : '';
  return {
    because: `${because}${parent === undefined ? none : `, whose parent is ${parent}`}`,
    evidence: readings.flatMap(({ evidence }) => evidence),
  };
}

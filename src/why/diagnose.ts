import { errorMessage, isGcError } from '../errors.ts';
import { eventType } from '../kube/core-types.ts';
import { counted } from '../kube/counts-by-kind.ts';
import { fieldSelectorOf } from '../kube/names.ts';
import { isBeingDeleted } from '../kube/object-record.ts';
import { type ObjectLocation, referenceToPlace } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { timestampOf } from '../kube/time.ts';
import { objectEventOf } from '../programs/object-event.ts';
import { reportInWords, reportOfEvent } from '../programs/reports.ts';
import { type Link, link } from './chain.ts';
import { diagnoseDeletion } from './diagnose-deletion.ts';
import { evidenceOf, type Inquiry, valueIn } from './inquiry.ts';
import { liveLink } from './links/live-link.ts';
import { judgeLink } from './links/refusal-links.ts';
import { refusedDeletionLinks } from './links/rehearsals.ts';
import { reportedEventLinks } from './links/report-links.ts';
import { damagedLinks } from './links/unreadable-kind-links.ts';

/**
 * Why is this object still there, or not there any more? Pure: it asks the inquiry for what it needs. An error that
 * no code expects is what is said of this object, so that others are diagnosed.
 */
export function diagnose(inquiry: Inquiry, subject: ObjectLocation): Link {
  try {
    return diagnosed(inquiry, subject);
  } catch (error) {
    if (isGcError(error)) throw error;
    const { kind } = subject.type;
    const what = `${kind} ${subject.name}`;
    const readAt = timestampOf(inquiry.now);
    const couldNotRead = `it could not be judged: ${errorMessage(error)}`;
    const evidence = { what, readAt, couldNotRead, reason: 'unreadable' } as const;
    const because = 'it could not be judged';
    return link(referenceToPlace(subject), 'unknown', 'unknown', because, { evidence: [evidence] });
  }
}

function diagnosed(inquiry: Inquiry, subject: ObjectLocation): Link {
  const { type, namespace, name } = subject;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  if (reading.state !== 'read') {
    const target = referenceToPlace(subject);
    const isUnread = reading.state === 'unread';
    const webhook = isUnread ? judgeLink(inquiry, reading.message) : undefined;
    return link(target, 'unknown', 'unknown', 'it could not be read', {
      evidence: evidenceOf(reading, () => ''),
      links: webhook
        ? [webhook]
        : isUnread
          ? damagedLinks(inquiry, groupResourceOf(type), reading.message)
          : [],
      next: isUnread && reading.reason === 'forbidden' ? 'Ask as a user who may read it.' : '',
    });
  }
  if (!reading.value) return absentObject(inquiry, subject);
  const record = reading.value;
  if (!isBeingDeleted(record)) {
    const living = liveLink(inquiry, record);
    const isGarbage = ['collectable', 'overdue'].includes(living.cause);
    const refused = isGarbage ? [] : refusedDeletionLinks(inquiry, record);
    return { ...living, links: withRefusals(living, refused, reportedEventLinks(inquiry, record)) };
  }
  return diagnoseDeletion(inquiry, record);
}

/**
 * What refuses the deletion of a living object comes first where a controller is due to delete it: a webhook that does not answer refuses
 * that to every client. A command that deletes the object is no step then.
 */
function withRefusals(
  { links }: Link,
  refused: readonly Link[],
  reported: readonly Link[],
): readonly Link[] {
  if (refused.length === 0) return [...links, ...reported];
  const others = links.map(({ command, ...one }) =>
    one.cause === 'ended' || !command ? one : { ...one, command },
  );
  const isDue = links.some(({ cause }) => cause === 'controller-deletes');
  const isForAll = ({ cause }: Link) => isDue && cause === 'admission-webhook-down';
  return [
    ...refused.filter(isForAll).map((one): Link => ({ ...one, state: 'blocked' })),
    ...others,
    ...refused.filter((one) => !isForAll(one)),
    ...reported,
  ];
}

/** Not there: what the events of the last hour say about it. */
function absentObject(inquiry: Inquiry, subject: ObjectLocation): Link {
  const target = referenceToPlace(subject);
  if (inquiry.origin !== 'cluster') {
    const because = 'it is not in the input, so what became of it is unknown';
    return link(target, 'absent', 'fine', because);
  }
  const namespace = subject.namespace === '' ? 'default' : subject.namespace;
  const fields = fieldSelectorOf({
    'involvedObject.kind': subject.type.kind,
    'involvedObject.name': subject.name,
  });
  const events = inquiry.ask({ ask: 'events', type: eventType, namespace, fields });
  const newest = (valueIn(events) ?? []).slice(-5).map(objectEventOf);
  return link(target, 'absent', 'fine', 'it does not exist', {
    evidence: evidenceOf(events, (list) =>
      list.length === 0 ? 'no events about it' : `${counted(list.length, 'event')} about it`,
    ),
    links: newest.map((event) =>
      link(target, 'event', 'fine', reportInWords(reportOfEvent(event), inquiry.now)),
    ),
    next: 'The garbage collector writes no event when it deletes; the audit log of the API server shows who did.',
  });
}

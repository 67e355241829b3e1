import { compareText } from '../../kube/names.ts';
import { newestOfEach } from '../../kube/object-event.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { type Link, link } from '../chain.ts';
import type { Inquiry } from '../inquiry.ts';

/** The maximum number of Events that are shown for one object. */
const mostTold = 3;

/**
 * What Events in the input say of an object, the newest of each reason first: evidence, which never outranks what was
 * read. `since` (RFC 3339): what happened before is left out; without it, what is no warning.
 */
export function reportedEventLinks(
  inquiry: Inquiry,
  object: ObjectReference,
  since?: string,
): Link[] {
  const begun = since === undefined ? undefined : Date.parse(since);
  const told = inquiry
    .eventsAbout(object)
    .filter((event) => (begun === undefined ? event.isWarning : Date.parse(event.time) >= begun));
  return newestOfEach(told, ({ reason }) => reason)
    .toSorted((a, b) => compareText(b.time, a.time))
    .slice(0, mostTold)
    .map(({ reportedBy, reason, time, message }) =>
      link(
        object,
        'event',
        'fine',
        reportOf(reportedBy || 'an Event', reason, { time, message }, inquiry.now),
      ),
    );
}

/** "the namespace controller reported X 4d ago, at …: why". */
export function reportOf(
  by: string,
  what: string,
  { time, message }: { readonly time: string; readonly message: string },
  now: number,
): string {
  const when = time === '' ? 'at an unknown time' : `${age(time, now)} ago, at ${time}`;
  return `${by} reported ${what} ${when}: ${message}`;
}

import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';

/** The fields of an event of which something is kept, in every format and at every reader. */
export interface EventFields {
  readonly auditId: string;
  readonly isAnswered: boolean;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly verb: string;
  readonly uri: string;
  readonly user: string;
  readonly impersonated: string;
  readonly userAgent: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Status that answers a DELETE names what it removed, also in a log of level Metadata. */
  readonly removedUid: string;
  readonly status: number;
  /** What else it has: bodies, addresses, annotations. */
  readonly rest: Json;
}

/** Undefined for an event without a time. */
export function eventFieldsOf(event: Json): EventFields | undefined {
  const received = preciseTimeIn(event.requestReceivedTimestamp);
  const answeredAt = preciseTimeIn(event.stageTimestamp) ?? received;
  if (answeredAt === undefined) return undefined;
  const reference = fieldsOf(event.objectRef);
  const { code, details } = fieldsOf(event.responseStatus);
  return {
    auditId: textOrEmpty(event.auditID),
    isAnswered: event.stage === 'ResponseComplete',
    receivedAt: received ?? answeredAt,
    answeredAt,
    verb: textOrEmpty(event.verb),
    uri: textOrEmpty(event.requestURI),
    user: textOrEmpty(fieldsOf(event.user).username),
    impersonated: textOrEmpty(fieldsOf(event.impersonatedUser).username),
    userAgent: textOrEmpty(event.userAgent),
    group: textOrEmpty(reference.apiGroup),
    resource: textOrEmpty(reference.resource),
    subresource: textOrEmpty(reference.subresource),
    namespace: textOrEmpty(reference.namespace),
    name: textOrEmpty(reference.name),
    uid: textOrEmpty(reference.uid),
    removedUid: textOrEmpty(fieldsOf(details).uid),
    status: typeof code === 'number' && Number.isInteger(code) ? code : 0,
    rest: event,
  };
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
/** Most events have the second of the event in front of them, and Date.parse takes longer than the rest. */
let lastSecond = { spelled: '?', at: Number.NaN };

/** Epoch milliseconds of RFC 3339, with microseconds as their fraction: thousands of requests share a millisecond. */
export function preciseTimeIn(value: unknown): number | undefined {
  const text = textOrEmpty(value);
  if (text.length === 27 && text[26] === 'Z' && text.startsWith(lastSecond.spelled)) {
    let microseconds = 0;
    for (let at = 20; at < 26; at++) microseconds = microseconds * 10 + digitAt(text, at);
    if (microseconds >= 0) return lastSecond.at + microseconds / 1e3;
  }
  const [, second = '', fraction = '', zone = ''] = rfc3339.exec(text) ?? [];
  const at = Date.parse(`${second}${zone}`);
  if (Number.isNaN(at)) return undefined;
  if (zone === 'Z') lastSecond = { spelled: `${second}.`, at };
  return at + Math.round(Number(`0${fraction}`) * 1e6) / 1e3;
}

const zero = '0'.charCodeAt(0);

/** NaN for what is no digit. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - zero;
  return digit >= 0 && digit <= 9 ? digit : Number.NaN;
}

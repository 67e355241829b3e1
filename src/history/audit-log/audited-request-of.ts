import { guardWebhook } from '../../kube/deletion-approval.ts';
import {
  fieldsOf,
  type Json,
  jsonOf,
  textOf,
  textOrEmpty,
  textsOf,
} from '../../kube/json-value.ts';
import type { AuditedRequest, GuardNote } from '../audited-request.ts';
import { auditedBodyOf, namesFinalizers, patchesSomeOwners } from './audited-body-of.ts';
import { isUnneededResource, isWritingVerb } from './unneeded-events.ts';

export interface EventTimes {
  readonly receivedAt: number;
  readonly answeredAt: number;
}

/** Undefined for an event without a time. */
export function timesOf(event: Json): EventTimes | undefined {
  const received = preciseTimeIn(event.requestReceivedTimestamp);
  const answeredAt = preciseTimeIn(event.stageTimestamp) ?? received;
  return answeredAt === undefined ? undefined : { receivedAt: received ?? answeredAt, answeredAt };
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
/** Most events have the second of the event in front of them, and Date.parse takes longer than the rest. */
let lastSecond = { spelled: '?', at: Number.NaN };

/** Epoch milliseconds of RFC 3339, with microseconds as their fraction: thousands of requests share a millisecond. */
export function preciseTimeIn(value: unknown): number | undefined {
  const text = textOrEmpty(value);
  if (text.length === 27 && text.endsWith('Z') && text.startsWith(lastSecond.spelled)) {
    const microseconds = Number(text.slice(20, 26));
    if (microseconds >= 0) return lastSecond.at + microseconds / 1e3;
  }
  const [, second = '', fraction = '', zone = ''] = rfc3339.exec(text) ?? [];
  const at = Date.parse(`${second}${zone}`);
  if (Number.isNaN(at)) return undefined;
  if (zone === 'Z') lastSecond = { spelled: `${second}.`, at };
  return at + Math.round(Number(`0${fraction}`) * 1e6) / 1e3;
}

/** Subresources whose writes can remove the object or a finalizer, or change spec.replicas. */
const neededSubresources: ReadonlySet<string> = new Set(['', 'finalize', 'scale', 'eviction']);

/** Users, programs, kinds and namespaces are few, and each is in thousands of requests: each text is stored once. */
export class SharedTexts {
  readonly #keepsAddresses: boolean;
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  constructor(keepsAddresses: boolean) {
    this.#keepsAddresses = keepsAddresses;
  }

  text(text: string): string {
    const before = this.#texts.get(text);
    if (before === undefined) this.#texts.set(text, text);
    return before ?? text;
  }

  addresses(value: unknown): readonly string[] {
    if (!this.#keepsAddresses) return noAddresses;
    const key = textsOf(value).join();
    let list = this.#lists.get(key);
    if (!list) {
      list = textsOf(value);
      this.#lists.set(key, list);
    }
    return list;
  }
}

function guardNoteIn(annotations: unknown): GuardNote | undefined {
  const fields = jsonOf(annotations);
  const note = (name: string) => textOrEmpty(fields?.[`${guardWebhook}/${name}`]);
  const verdict = note('verdict');
  return verdict === '' ? undefined : { verdict, objects: note('objects'), kinds: note('kinds') };
}

const noAddresses: readonly string[] = Object.freeze([]);
const noQuery = new URLSearchParams();

/** What is kept of an event of the stage ResponseComplete; undefined where it cannot have removed anything. */
export function auditedRequestOf(
  event: Json,
  { receivedAt, answeredAt }: EventTimes,
  shared: SharedTexts,
): AuditedRequest | undefined {
  const { verb, requestURI } = event;
  const reference = fieldsOf(event.objectRef);
  const group = textOrEmpty(reference.apiGroup);
  const resource = textOrEmpty(reference.resource);
  const subresource = textOrEmpty(reference.subresource);
  if (!isWritingVerb(verb) || resource === '') return undefined;
  const deletes = verb === 'delete' || verb === 'deletecollection';
  // DELETE of a subresource deletes nothing: a proxy passes it on.
  if (deletes && subresource !== '') return undefined;
  if (!deletes && isUnneededResource(group, resource)) return undefined;
  const request = jsonOf(event.requestObject);
  const answer = jsonOf(event.responseObject);
  if (!neededSubresources.has(subresource) && !namesFinalizers(event)) return undefined;
  const body = subresource === 'eviction' ? undefined : auditedBodyOf(event, verb);
  const uri = textOrEmpty(requestURI);
  const queryAt = uri.indexOf('?');
  const query = queryAt < 0 ? noQuery : new URLSearchParams(uri.slice(queryAt));
  const options = deletes ? request : jsonOf(request?.deleteOptions);
  const impersonated = textOf(fieldsOf(event.impersonatedUser).username);
  // The API server takes the name of a Namespace for its namespace too.
  const isNamespace = group === '' && resource === 'namespaces';
  const generated = verb === 'create' ? fieldsOf(answer?.metadata).name : undefined;
  return {
    auditId: textOrEmpty(event.auditID),
    receivedAt,
    answeredAt,
    verb,
    user: shared.text(textOrEmpty(fieldsOf(event.user).username)),
    impersonated: impersonated && shared.text(impersonated),
    userAgent: shared.text(textOrEmpty(event.userAgent)),
    sourceIps: shared.addresses(event.sourceIPs),
    group: shared.text(group),
    resource: shared.text(resource),
    subresource: shared.text(subresource),
    namespace: isNamespace ? '' : shared.text(textOrEmpty(reference.namespace)),
    name: textOrEmpty(reference.name) || textOrEmpty(generated),
    uid:
      uidIn(reference, options, verb === 'patch' ? request : undefined, answer) ??
      (removedUid(event) || undefined),
    isRemoval: verb === 'delete' && removedUid(event) !== '',
    status: statusOf(event),
    isDryRun: query.getAll('dryRun').includes('All') || textsOf(options?.dryRun).includes('All'),
    hasBody: hasWholeBody(event),
    guard: deletes ? guardNoteIn(event.annotations) : undefined,
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
    propagationPolicy: propagationPolicyOf(options, query),
    body,
  };
}

/**
 * Not so with level Metadata, of a patch that changes some owner references and leaves others as they are, and where a cloud
 * has written a remark in the place of a large body.
 */
function hasWholeBody({ level, requestObject, responseObject }: Json): boolean {
  if (level !== 'Request' && level !== 'RequestResponse') return false;
  if (typeof requestObject === 'string' || typeof responseObject === 'string') return false;
  return responseObject !== undefined || !patchesSomeOwners(requestObject);
}

/** The reference of an update and the answer name it; a DELETE and a patch may have it as a precondition. */
function uidIn(
  reference: Json,
  options: Json | undefined,
  patch: Json | undefined,
  answer: Json | undefined,
): string | undefined {
  const uid =
    textOrEmpty(reference.uid) ||
    textOrEmpty(fieldsOf(options?.preconditions).uid) ||
    textOrEmpty(fieldsOf(patch?.metadata).uid) ||
    textOrEmpty(fieldsOf(answer?.metadata).uid) ||
    textOrEmpty(fieldsOf(answer?.details).uid);
  return uid === '' ? undefined : uid;
}

/** The Status that answers a DELETE names what it removed, also in a log of level Metadata. */
function removedUid({ responseStatus }: Json): string {
  return textOrEmpty(fieldsOf(fieldsOf(responseStatus).details).uid);
}

function statusOf(event: Json): number {
  const { code } = fieldsOf(event.responseStatus);
  return typeof code === 'number' && Number.isInteger(code) ? code : 0;
}

function propagationPolicyOf(
  options: Json | undefined,
  query: URLSearchParams,
): AuditedRequest['propagationPolicy'] {
  const policy = options?.propagationPolicy ?? query.get('propagationPolicy');
  if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy;
  const orphans = options?.orphanDependents ?? query.get('orphanDependents');
  return orphans === true || orphans === 'true' ? 'Orphan' : undefined;
}

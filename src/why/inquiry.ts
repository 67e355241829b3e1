import { picked } from '../kube/json-value.ts';
import { selectorOfLabels } from '../kube/label-selector.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation, ObjectReference } from '../kube/object-reference.ts';
import type { KubeObject } from '../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { timestampOf } from '../kube/time.ts';
import type { ObjectEvent } from '../programs/object-event.ts';
import type { controllerSettingsOf } from '../settings/controller-settings.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Why something could not be read: a reason for programs, a sentence for people. */
export type Unread = Pick<CoverageProblem, 'reason' | 'message'>;

/** An answer, or why there is none. */
export type Answer = { readonly readAt: string } & (
  | { readonly value: AnswerValues[Query['ask']] }
  | (Unread & Partly)
);

/** Of a list that is not complete: the objects that were read all the same. */
interface Partly {
  readonly seen?: readonly ObjectRecord[];
}

/**
 * What is asked: a cluster; a `snapshot` that was saved of one with all that a diagnosis reads; or `files`,
 * which hold what they hold.
 */
type InquiryOrigin = 'cluster' | 'snapshot' | 'files';

/** What is known so far, and, while a diagnosis runs, the questions that are still open. */
export interface Inquiry {
  readonly types: ResourceTypes;
  /** `v1.36.3`; undefined where it was not read. */
  readonly serverVersion: string | undefined;
  /** Epoch milliseconds, by the server's clock. */
  readonly now: number;
  readonly origin: InquiryOrigin;
  /** Is `now` the time at which the input was read? Files may be older. */
  readonly isCurrent: boolean;
  /** No dry runs: they need permissions to write. */
  readonly onlyReads: boolean;
  /** Which object has this uid, in any namespace. Only an input that was read as a whole can answer; a cluster cannot. */
  withUid(uid: string): ObjectRecord | undefined;
  /** What the Events in the input say of an object; of a cluster they are not asked for. */
  eventsAbout(object: ObjectReference): readonly ObjectEvent[];
  ask<Q extends Query>(query: Q): Reading<AnswerValues[Q['ask']]>;
  /** What follows from answers alone, worked out once however many objects of the diagnosis need it. */
  once<T>(what: string, work: () => T): T;
}

/** What was read of a cluster before anything is asked. */
export type Known = Pick<Inquiry, 'types' | 'serverVersion' | 'origin' | 'isCurrent'> &
  Partial<Pick<Inquiry, 'onlyReads' | 'withUid' | 'eventsAbout'>>;

/**
 * Asks for each answer when a diagnosis needs it. `answerTo`: undefined while the answer is pending; for one key it
 * says the same each time.
 */
export function inquiryOf(
  known: Known & Pick<Inquiry, 'now'>,
  answerTo: (query: Query, key: string) => Answer | undefined,
): Inquiry {
  const made = new Map<string, unknown>();
  return {
    onlyReads: known.origin === 'files',
    withUid: () => undefined,
    eventsAbout: () => [],
    ...known,
    ask<Q extends Query>(query: Q): Reading<AnswerValues[Q['ask']]> {
      const what = subjectInWords(query);
      const answer = answerTo(query, queryKey(query));
      if (!answer) return { state: 'pending', what };
      if (!('value' in answer)) return { state: 'unread', what, ...kindAskedFor(query), ...answer };
      return { state: 'read', what, ...answer, value: answer.value as AnswerValues[Q['ask']] };
    },
    once<T>(what: string, work: () => T): T {
      if (!made.has(what)) made.set(what, work());
      return made.get(what) as T;
    },
  };
}

function kindAskedFor(query: Query): KindAskedFor {
  if (query.ask !== 'list') return {};
  return { resource: groupResourceOf(query.type), ...picked(query, 'namespace') };
}

/** The same question has the same key. */
export function queryKey(query: Query): string {
  switch (query.ask) {
    case 'list':
    case 'events':
      return `list ${groupResourceOf(query.type)} ${query.namespace ?? '*'} ${query.fields ?? ''} ${selectorOfLabels(query.labels)}`;
    case 'rehearsal':
      return `rehearsal ${query.request.verb} ${locationInWords(query.request)} ${JSON.stringify(query.request.body)} ${query.request.as?.name ?? ''}`;
    case 'access':
      return `access ${query.user.name} ${query.verb}`;
    default:
      return `${query.ask} ${subjectInWords(query)}`;
  }
}

/** The subject of a question, as evidence names it: `pods in shop`, `node/worker-1`. */
function subjectInWords(query: Query): string {
  switch (query.ask) {
    case 'object':
      return `${locationInWords(query)}${query.isLater ? ', read again' : ''}`;
    case 'list':
    case 'events': {
      const only = [query.fields, selectorOfLabels(query.labels)].filter(Boolean).join(', ');
      const where = query.namespace === undefined ? '' : ` in ${query.namespace}`;
      return `${groupResourceOf(query.type)}${where}${only && ` (${only})`}`;
    }
    case 'content': {
      const what = query.type ? groupResourceOf(query.type) : 'every kind';
      const where = query.namespace === undefined ? ', everywhere' : ` in ${query.namespace}`;
      return `${what}${where}${query.isLater ? ', read again' : ''}`;
    }
    case 'rehearsal':
      return `server dry run of ${query.request.verb} ${locationInWords(query.request)}${query.request.as ? ` as ${query.request.as.name}` : ''}`;
    case 'access':
      return `whether ${query.user.name} may ${query.verb} everything`;
    case 'settings':
      return 'settings of kube-controller-manager';
  }
}

function locationInWords({ type, namespace, name }: ObjectLocation): string {
  return `${groupResourceOf(type)}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
}

/** One thing that a diagnosis wants to know. */
export type Query =
  | {
      readonly ask: 'object';
      readonly type: ResourceType;
      readonly namespace: string;
      readonly name: string;
      /** Read it some seconds after the question, to see what controllers did meanwhile: of a cluster alone. */
      readonly isLater?: true;
    }
  | ({ readonly ask: 'list' } & ObjectsOfKind)
  /** Events, in full: records do not keep their content. */
  | ({ readonly ask: 'events' } & ObjectsOfKind)
  /** Metadata of every kind that can be deleted: in one namespace, or everywhere with cluster-scoped kinds. */
  | {
      readonly ask: 'content';
      readonly namespace: string | undefined;
      /** Of this kind alone. */
      readonly type?: ResourceType;
      readonly isLater?: true;
    }
  /** Would the server take this request? It stores nothing. */
  | { readonly ask: 'rehearsal'; readonly request: RehearsedRequest }
  /** May this user do that to everything (SubjectAccessReview)? */
  | { readonly ask: 'access'; readonly user: ReviewedUser; readonly verb: string }
  /** What kube-controller-manager runs with. */
  | { readonly ask: 'settings' };

interface ObjectsOfKind {
  readonly type: ResourceType;
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  readonly fields?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ReviewedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface RehearsedRequest extends ObjectLocation {
  readonly verb: 'delete' | 'patch';
  /** DeleteOptions or a JSON patch. */
  readonly body: unknown;
  /** Impersonated, where the current user may. */
  readonly as?: ReviewedUser;
}

/** An object that was asked for by its name. */
export interface AskedObject extends ObjectRecord {
  /** metadata.managedFields, where they were read. */
  readonly managedFields?: unknown;
}

/** Metadata of many kinds, and which of them could not be read. */
export interface Content {
  readonly records: readonly ObjectRecord[];
  readonly unread: readonly ({ readonly resource: string } & Unread)[];
}

/** The server's answer to a rehearsal. */
export interface Rehearsal {
  readonly accepted: boolean;
  /** HTTP status. */
  readonly status: number;
  /** The server's message when it refused. */
  readonly message: string;
}

/** What each kind of question is answered with; an object that is not there is undefined. */
interface AnswerValues {
  readonly object: AskedObject | undefined;
  readonly list: readonly ObjectRecord[];
  readonly events: readonly KubeObject[];
  readonly content: Content;
  readonly rehearsal: Rehearsal;
  readonly access: { readonly allowed: boolean; readonly reason: string };
  readonly settings: ReturnType<typeof controllerSettingsOf>;
}

/** `pending`: not asked yet. `unread`: it could not be read. */
export type Reading<T> =
  | { readonly state: 'read'; readonly what: string; readonly readAt: string; readonly value: T }
  | ({ readonly state: 'unread'; readonly what: string; readonly readAt: string } & Unread &
      Partly &
      KindAskedFor)
  | { readonly state: 'pending'; readonly what: string };

/** One piece of evidence, as it is published. */
export type Evidence =
  | { readonly what: string; readonly readAt: string; readonly value: string }
  | UnreadEvidence;

/** Of a list: what was asked for. */
interface KindAskedFor {
  readonly resource?: string;
  readonly namespace?: string;
}

export interface UnreadEvidence extends KindAskedFor {
  readonly what: string;
  readonly readAt: string;
  readonly couldNotRead: string;
  readonly reason: CoverageProblem['reason'];
}

/** Evidence that the input has an object without one of its fields. */
export function notHeld(what: string, readAt: string, field: string): Evidence {
  return {
    what,
    readAt,
    couldNotRead: `the input does not hold its ${field}`,
    reason: 'truncated',
  };
}

/** The same of an object, which is asked for. */
export function fieldNotHeld(
  inquiry: Inquiry,
  { type, namespace, name }: ObjectLocation,
  field: string,
): Evidence[] {
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  return reading.state === 'pending' ? [] : [notHeld(reading.what, reading.readAt, field)];
}

/** What a reading proves, in one sentence; or, for an unread one, why it could not be read. */
export function evidenceOf<T>(reading: Reading<T>, say: (value: T) => string): Evidence[] {
  if (reading.state === 'pending') return [];
  const { what, readAt } = reading;
  return reading.state === 'read'
    ? [{ what, readAt, value: say(reading.value) }]
    : [
        {
          ...{ what, readAt, couldNotRead: reading.message, reason: reading.reason },
          ...picked(reading, 'resource', 'namespace'),
        },
      ];
}

/** Every object of a kind, wherever it is: each of them in full, or the reading says that they are not. */
export function listEverywhere(
  inquiry: Inquiry,
  type: ResourceType,
): Reading<readonly ObjectRecord[]> {
  return readAllWhole(inquiry.ask({ ask: 'list', type, namespace: undefined }));
}

/** Whether an object is there. */
export function presence(reading: Reading<unknown>): Evidence[] {
  return evidenceOf(reading, (found) => (found ? 'exists' : 'does not exist'));
}

/** What was read; undefined where it could not be, and of an object that is not there. */
export function valueIn<T>(reading: Reading<T>): T | undefined {
  return reading.state === 'read' ? reading.value : undefined;
}

/** The objects of a list, and of one that is not complete those that were read: that another is not among them shows nothing. */
export function seenIn(reading: Reading<readonly ObjectRecord[]>): readonly ObjectRecord[] {
  if (reading.state === 'read') return reading.value;
  return (reading.state === 'unread' && reading.seen) || [];
}

/** What was read one by one, as a snapshot to decide by; of what was `asked` for or `read` it says that it would be there. */
export function snapshotOf(
  { types, now, serverVersion }: Inquiry,
  records: readonly ObjectRecord[],
  asked: Snapshot['coverage']['asked'],
  read: Snapshot['coverage']['read'] = [],
): Snapshot {
  return {
    records,
    types,
    coverage: { read, asked, problems: [] },
    observedAt: timestampOf(now),
    serverVersion,
    origin: { kind: 'cluster', server: '' },
  };
}

const onlyMetadata = 'the input contains only its metadata, not its spec and status';

/** What to do where spec and status are missing. */
export const readInFull =
  'Ask the cluster itself, or give the objects in full, as get -o yaml prints them.';

/** The reading of a question that needs spec and status: metadata alone counts as not read. */
export function readWhole<Found extends ObjectRecord>(
  reading: Reading<Found | undefined>,
): Reading<Found | undefined> {
  if (reading.state !== 'read' || !reading.value || reading.value.facts) return reading;
  const { what, readAt } = reading;
  return { state: 'unread', what, readAt, reason: 'truncated', message: onlyMetadata };
}

/** The same for a list, in which every object has to be complete. */
export function readAllWhole(
  reading: Reading<readonly ObjectRecord[]>,
): Reading<readonly ObjectRecord[]> {
  if (reading.state !== 'read') return reading;
  const { what, readAt, value } = reading;
  const bare = value.filter(({ facts }) => facts === undefined).length;
  if (bare === 0) return reading;
  const message = `the input contains only metadata of ${bare} of ${value.length} objects, not spec and status`;
  return { state: 'unread', what, readAt, reason: 'truncated', message };
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { goesByUser } from '../../programs/admission-rule.ts';
import { type Link, link } from '../chain.ts';
import { accountOf, type ControllerWithAccount, controllerTitles } from '../controller-accounts.ts';
import { finalizerPatch, releasePatch } from '../fix-request.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  type Reading,
  type Rehearsal,
  type ReviewedUser,
  valueIn,
} from '../inquiry.ts';
import {
  judgeLink,
  namesPolicy,
  policiesFor,
  provenRefusal,
  webhooksFor,
} from './refusal-links.ts';

/** What a server dry run showed: evidence, and what blocks the request, if anything. */
export interface Rehearsed {
  readonly evidence: readonly Evidence[];
  /** `unknown`: it may refuse the controller, which no dry run could show. */
  readonly refusal: Link | undefined;
  readonly accepted: boolean;
  /** The server did not answer, or only that the current user may not do it. */
  readonly isUnanswered: boolean;
}

/** Who would send the request: this controller, else the current user. */
type Sender = ControllerWithAccount | undefined;

/** Would the API server accept that this finalizer is removed? */
export function rehearseRemoval(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  by?: Sender,
): Rehearsed {
  const body = () => finalizerPatch(record, finalizer);
  return rehearsal(inquiry, record, { verb: 'patch', body, cause: 'removal-refused', by });
}

/** Would the API server accept that the garbage collector removes the reference of a dependent to this owner? */
export function rehearseRelease(
  inquiry: Inquiry,
  dependent: ObjectRecord,
  owner: ObjectRecord,
): Rehearsed {
  const body = () => releasePatch(dependent, owner);
  const by = 'garbage-collector-controller';
  return rehearsal(inquiry, dependent, { verb: 'patch', body, cause: 'removal-refused', by });
}

/** Would the API server accept the deletion of this object? */
export function rehearseDeletion(inquiry: Inquiry, record: ObjectRecord, by?: Sender): Rehearsed {
  return rehearsal(inquiry, record, deletionOf(record, by));
}

/** The same where nothing else is rehearsed: one of a few objects that stand for all. */
export function rehearseSample(
  inquiry: Inquiry,
  record: ObjectRecord,
  by: ControllerWithAccount,
): Rehearsed {
  return rehearsal({ ...inquiry, onlyReads: false }, record, deletionOf(record, by));
}

function deletionOf(record: ObjectRecord, by: Sender): RehearsedChange {
  const body = () => ({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: record.uid },
    // Without it, the API server warns that the Pods of a Job would stay.
    propagationPolicy: 'Background',
  });
  return { verb: 'delete', body, cause: 'deletion-refused', by };
}

/** What refuses the deletion of a living object, if anything: it keeps the object from everybody. */
export function refusedDeletionLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const { refusal } = rehearseDeletion(inquiry, record);
  if (!refusal) return [];
  const isOther = refusal.cause !== 'deletion-refused';
  const because = isOther ? `its deletion is refused: ${refusal.because}` : refusal.because;
  return [{ ...refusal, state: 'holds', because, next: isOther ? refusal.next : '' }];
}

interface RehearsedChange {
  readonly verb: 'patch' | 'delete';
  readonly body: () => unknown;
  readonly cause: 'deletion-refused' | 'removal-refused';
  readonly by: Sender;
}

const unanswered: Rehearsed = {
  evidence: [],
  refusal: undefined,
  accepted: false,
  isUnanswered: true,
};

function rehearsal(inquiry: Inquiry, record: ObjectRecord, change: RehearsedChange): Rehearsed {
  if (!inquiry.onlyReads) return askedRehearsal(inquiry, record, change);
  const { by } = change;
  const operation = operationOf(change);
  const proven = provenRefusal(inquiry, record, operation);
  return { ...unanswered, refusal: proven ?? (by && ofSample(inquiry, record, operation, by)) };
}

function operationOf({ verb }: RehearsedChange): 'delete' | 'update' {
  return verb === 'patch' ? 'update' : 'delete';
}

function askedRehearsal(
  inquiry: Inquiry,
  record: ObjectRecord,
  change: RehearsedChange,
): Rehearsed {
  const { verb, by } = change;
  const operation = operationOf(change);
  const proven = () => provenRefusal(inquiry, record, operation);
  const { type, namespace, name } = record;
  const request = { verb, type, namespace, name, body: change.body() };
  const as = by && accountAt(inquiry, by);
  const impersonated = inquiry.ask({
    ask: 'rehearsal',
    request: { ...request, ...(as && { as }) },
  });
  // Under the own name it still shows the webhooks. Not all controllers may patch what they update.
  const isOwn =
    as === undefined ||
    mayNotImpersonate(impersonated) ||
    (verb === 'patch' && isNotPermitted(impersonated, verb));
  const reading = as && isOwn ? inquiry.ask({ ask: 'rehearsal', request }) : impersonated;
  const evidence = evidenceOf(reading, said);
  if (reading.state === 'pending') return { ...unanswered, evidence };
  const open = () =>
    proven() ?? (by && isOwn ? mayRefuse(inquiry, record, operation, by) : undefined);
  if (reading.state === 'unread') return { ...unanswered, evidence, refusal: open() };
  const { accepted, status, message } = reading.value;
  const answered = { evidence, refusal: undefined, accepted, isUnanswered: false };
  if (accepted) {
    const refusal = by && isOwn ? mayRefuse(inquiry, record, operation, by) : undefined;
    return { ...answered, refusal, accepted: refusal === undefined };
  }
  const doubt =
    by && isOwn && namesPolicy(message) ? mayRefuse(inquiry, record, operation, by) : undefined;
  if (doubt) return { ...answered, refusal: doubt };
  const refused = by && !isOwn ? { cause: change.cause, by } : undefined;
  const judge = judgeLink(inquiry, message, { about: record, refused });
  if (judge) {
    return { ...answered, refusal: { ...judge, evidence: [...evidence, ...judge.evidence] } };
  }
  // What the current user may not do says nothing about a controller; a deleted object blocks
  // nothing.
  if (status === 404 || status === 409) return answered;
  if (status === 401 || (isOwn && isNotPermitted(reading, verb))) {
    return { ...answered, isUnanswered: true, refusal: open() };
  }
  return { ...answered, refusal: refusedBy(record, change, message, evidence) };
}

/**
 * Of many deletions one object of each kind is tried, where a policy or webhook judges the kind. What it shows is sure of this one
 * alone.
 */
function ofSample(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update',
  by: ControllerWithAccount,
): Link | undefined {
  if (inquiry.origin !== 'cluster' || operation === 'update') return undefined;
  const judges = [
    ...policiesFor(inquiry, record, operation),
    ...webhooksFor(inquiry, record, operation),
  ];
  if (judges.length === 0) return undefined;
  const kind = groupResourceOf(record.type);
  const sample = inquiry.once(`sample of ${kind} for ${by}`, () => record);
  const { refusal } = rehearseSample(inquiry, sample, by);
  if (!refusal || sample.uid === record.uid) return refusal;
  const because = `${refusal.because} (tried with ${kindAndName(sample)})`;
  return { ...refusal, state: 'unknown', because };
}

function refusedBy(
  record: ObjectRecord,
  { verb, cause }: RehearsedChange,
  message: string,
  evidence: readonly Evidence[],
): Link {
  const doing = verb === 'patch' ? 'any change of it' : 'its deletion';
  return link(record, cause, 'blocked', `the API server refuses ${doing}: ${message}`, {
    evidence,
    next: 'First fix what the API server complains about.',
  });
}

/** Undefined where all controllers send requests as one user, which nothing names. */
function accountAt(inquiry: Inquiry, by: ControllerWithAccount): ReviewedUser | undefined {
  const reading = inquiry.ask({ ask: 'settings' });
  const { useServiceAccountCredentials: hasOwn } = valueIn(reading)?.settings ?? {};
  return hasOwn === false ? undefined : accountOf(by);
}

/** The policies and webhooks that go by who asks: a dry run under the own name does not show what they answer a controller. */
function mayRefuse(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update',
  by: ControllerWithAccount,
): Link | undefined {
  const judge =
    policiesFor(inquiry, record, operation).find(({ facts }) => goesByUser(facts ?? {})) ??
    webhooksFor(inquiry, record, operation).find(({ webhook }) => goesByUser(webhook))
      ?.configuration;
  if (!judge) return undefined;
  const who = controllerTitles[by];
  const because = `${kindAndName(judge)} decides by the user who asks; no dry run as the ${who} was permitted, so whether it refuses that is unknown`;
  return link(judge, 'admission-policy', 'unknown', because, {
    next: `Ask as a user who may impersonate ${accountOf(by).name}.`,
  });
}

function isNotPermitted(reading: Reading<Rehearsal>, verb: string): boolean {
  if (reading.state !== 'read') return false;
  const { status, message } = reading.value;
  return status === 403 && message.includes(`cannot ${verb} resource`);
}

function mayNotImpersonate(reading: Reading<Rehearsal>): boolean {
  if (reading.state !== 'read') return false;
  const { status, message } = reading.value;
  return status === 403 && message.includes('cannot impersonate');
}

function said({ accepted, status, message }: Rehearsal): string {
  return accepted ? 'would be accepted' : `would be refused (${status}): ${message}`;
}

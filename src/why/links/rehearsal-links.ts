import type { ObjectRecord } from '../../kube/object-record.ts';
import { type Cause, type Link, link } from '../chain.ts';
import { finalizerPatch } from '../fix-request.ts';
import { type Evidence, evidenceOf, type Inquiry, type Rehearsal } from '../inquiry.ts';
import { webhookLink } from './webhook-links.ts';

/** What a server dry run showed: evidence, and what blocks the request, if anything. */
export interface Rehearsed {
  readonly evidence: readonly Evidence[];
  readonly refusal: Link | undefined;
  readonly accepted: boolean;
}

/** Would the API server accept the removal of this finalizer? */
export function rehearseRemoval(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
): Rehearsed {
  return rehearse(inquiry, record, 'patch', finalizerPatch(record, finalizer), 'removal-refused');
}

/** Would the API server accept the deletion of this object? */
export function rehearseDeletion(inquiry: Inquiry, record: ObjectRecord): Rehearsed {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: record.uid } };
  return rehearse(inquiry, record, 'delete', body, 'deletion-refused');
}

function rehearse(
  inquiry: Inquiry,
  record: ObjectRecord,
  verb: 'patch' | 'delete',
  body: unknown,
  cause: Cause,
): Rehearsed {
  if (inquiry.origin === 'files') return { evidence: [], refusal: undefined, accepted: false };
  const { type, namespace, name } = record;
  const reading = inquiry.ask({ ask: 'rehearsal', request: { verb, type, namespace, name, body } });
  const evidence = evidenceOf(reading, said);
  if (reading.state !== 'read' || reading.value.accepted) {
    return { evidence, refusal: undefined, accepted: reading.state === 'read' };
  }
  const refusal = refusalLink(inquiry, record, reading.value, verb, cause, evidence);
  return { evidence, refusal, accepted: false };
}

function said({ accepted, status, message }: Rehearsal): string {
  return accepted ? 'would be accepted' : `would be refused (${status}): ${message}`;
}

function refusalLink(
  inquiry: Inquiry,
  record: ObjectRecord,
  { status, message }: Rehearsal,
  verb: string,
  cause: Cause,
  evidence: readonly Evidence[],
): Link | undefined {
  const webhook = webhookLink(inquiry, message);
  if (webhook) return { ...webhook, evidence: [...evidence, ...webhook.evidence] };
  // What the current user may not do says nothing about a controller; an object that is gone blocks
  // nothing.
  if (status === 401 || status === 404 || status === 409) return undefined;
  if (status === 403 && message.includes(`cannot ${verb} resource`)) return undefined;
  const doing = verb === 'patch' ? 'any change of it' : 'its deletion';
  return link(record, cause, 'blocked', `the API server refuses ${doing}: ${message}`, {
    evidence,
    next: 'First fix what the API server complains about.',
  });
}

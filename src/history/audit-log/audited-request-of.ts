import { fieldsOf, type Json, jsonOf, textOrEmpty, textsOf } from '../../kube/json-value.ts';
import { guardWebhook } from '../../programs/deletion-approval.ts';
import type { AuditedRequest, GuardNote } from '../audited-request.ts';
import { auditedBodyOf, namesFinalizers, patchesSomeOwners } from './audited-body-of.ts';
import type { EventFields } from './event-fields.ts';
import { isUnneededResource, isWritingVerb } from './unneeded-events.ts';

/** Subresources whose writes can remove the object or a finalizer, or change spec.replicas. */
const neededSubresources: ReadonlySet<string> = new Set(['', 'finalize', 'scale', 'eviction']);

function guardNoteIn(annotations: unknown): GuardNote | undefined {
  const fields = jsonOf(annotations);
  const note = (name: string) => textOrEmpty(fields?.[`${guardWebhook}/${name}`]);
  const verdict = note('verdict');
  return verdict === '' ? undefined : { verdict, objects: note('objects'), kinds: note('kinds') };
}

const noAddresses: readonly string[] = Object.freeze([]);

/** What is kept of an event of the stage ResponseComplete; undefined where it cannot have removed anything. */
export function auditedRequestOf(
  event: EventFields,
  keepsAddresses: boolean,
): AuditedRequest | undefined {
  const { verb, group, resource, subresource, uri, removedUid, rest } = event;
  if (!isWritingVerb(verb) || resource === '') return undefined;
  const deletes = verb === 'delete' || verb === 'deletecollection';
  // DELETE of a subresource deletes nothing: a proxy passes it on.
  if (deletes && subresource !== '') return undefined;
  if (!deletes && isUnneededResource(group, resource)) return undefined;
  if (!neededSubresources.has(subresource) && !namesFinalizers(rest)) return undefined;
  const request = jsonOf(rest.requestObject);
  const answer = jsonOf(rest.responseObject);
  const queryAt = uri.indexOf('?');
  const query = queryAt < 0 ? undefined : new URLSearchParams(uri.slice(queryAt));
  const options = deletes ? request : jsonOf(request?.deleteOptions);
  // The API server takes the name of a Namespace for its namespace too.
  const isNamespace = group === '' && resource === 'namespaces';
  const generated = verb === 'create' ? fieldsOf(answer?.metadata).name : undefined;
  const uid = event.uid || uidIn(options, verb === 'patch' ? request : undefined, answer);
  return {
    auditId: event.auditId,
    receivedAt: event.receivedAt,
    answeredAt: event.answeredAt,
    verb,
    user: event.user,
    impersonated: event.impersonated || undefined,
    userAgent: event.userAgent,
    sourceIps: keepsAddresses ? textsOf(rest.sourceIPs) : noAddresses,
    group,
    resource,
    subresource,
    namespace: isNamespace ? '' : event.namespace,
    name: event.name || textOrEmpty(generated),
    uid: uid || removedUid || undefined,
    isRemoval: verb === 'delete' && removedUid !== '',
    status: event.status,
    isDryRun: query?.getAll('dryRun').includes('All') || textsOf(options?.dryRun).includes('All'),
    hasBody: hasWholeBody(rest),
    guard: deletes ? guardNoteIn(rest.annotations) : undefined,
    labelSelector: query?.get('labelSelector') ?? undefined,
    fieldSelector: query?.get('fieldSelector') ?? undefined,
    propagationPolicy: propagationPolicyOf(options, query),
    body: subresource === 'eviction' ? undefined : auditedBodyOf(event, verb),
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

/** The answer names it; a DELETE and a patch may have it as a precondition. */
function uidIn(options: Json | undefined, patch: Json | undefined, answer: Json | undefined) {
  return (
    textOrEmpty(fieldsOf(options?.preconditions).uid) ||
    textOrEmpty(fieldsOf(patch?.metadata).uid) ||
    textOrEmpty(fieldsOf(answer?.metadata).uid) ||
    textOrEmpty(fieldsOf(answer?.details).uid)
  );
}

function propagationPolicyOf(
  options: Json | undefined,
  query: URLSearchParams | undefined,
): AuditedRequest['propagationPolicy'] {
  const policy = options?.propagationPolicy ?? query?.get('propagationPolicy');
  if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy;
  const orphans = options?.orphanDependents ?? query?.get('orphanDependents');
  return orphans === true || orphans === 'true' ? 'Orphan' : undefined;
}

import {
  fieldAt,
  fieldsOf,
  type Json,
  jsonOf,
  listOf,
  textAt,
  textOrEmpty,
  textsOf,
} from '../../kube/json-value.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import type { AuditedBody, WritingVerb } from '../audited-request.ts';
import { isStatus } from './audit-formats.ts';
import type { EventFields } from './event-fields.ts';

/** What the request and its answer say of the object; undefined where neither is in the log. */
export function auditedBodyOf(
  { rest: { requestObject, responseObject }, subresource }: EventFields,
  verb: WritingVerb,
): AuditedBody | undefined {
  if (requestObject === undefined && responseObject === undefined) return undefined;
  const answer = objectOf(responseObject);
  const request = verb === 'delete' ? undefined : requestObject;
  if (verb === 'deletecollection' || (!answer && request === undefined)) return undefined;
  const isScale = subresource === 'scale';
  const asked =
    verb === 'patch' ? patched(request) : isScale ? withoutMetadata(request) : wholeObject(request);
  const shown = isScale ? withoutMetadata(answer) : wholeObject(answer);
  return {
    owners: shown.owners ?? asked.owners,
    finalizers: shown.finalizers ?? asked.finalizers,
    isBeingDeleted: answer && fieldAt(answer, 'metadata.deletionTimestamp') !== undefined,
    generateName:
      verb === 'create' ? textAt(request, 'metadata.generateName') || undefined : undefined,
    replicas: shown.replicas ?? asked.replicas,
  };
}

/** Does the request or its answer have a list of finalizers, or a patch of one? */
export function namesFinalizers({ requestObject, responseObject }: Json): boolean {
  return [requestObject, responseObject].some((body) =>
    Array.isArray(body)
      ? patchedByOperations(body).finalizers !== undefined
      : Object.keys(fieldsOf(jsonOf(body)?.metadata)).some((key) => key.endsWith('finalizers')),
  );
}

type Said = Pick<AuditedBody, 'owners' | 'finalizers' | 'replicas'>;

const nothing: Said = { owners: undefined, finalizers: undefined, replicas: undefined };

/** Not the Status of a request, nor a list, nor the options of a DELETE, nor a remark that it was too large. */
function objectOf(body: unknown): Json | undefined {
  const json = jsonOf(body);
  return json && jsonOf(json.metadata) && !isStatus(json) && !Array.isArray(json.items)
    ? json
    : undefined;
}

/** What a whole object does not have, it has not. */
function wholeObject(body: unknown): Said {
  const object = objectOf(body);
  if (!object) return nothing;
  const { ownerReferences, finalizers } = fieldsOf(object.metadata);
  return {
    owners: ownersIn(ownerReferences ?? []),
    finalizers: textsOf(finalizers),
    replicas: replicasIn(object),
  };
}

/** A Scale has the metadata of its object, but neither owners nor finalizers. */
function withoutMetadata(body: unknown): Said {
  return { ...nothing, replicas: replicasIn(body) };
}

/** Of a patch only what it sets; null removes a list. */
function patched(body: unknown): Said {
  if (Array.isArray(body)) return patchedByOperations(body);
  const metadata = fieldsOf(fieldAt(body, 'metadata'));
  const { ownerReferences } = metadata;
  return {
    owners: ownerReferences === null ? [] : ownersIn(ownerReferences),
    finalizers: patchedFinalizers(metadata),
    replicas: replicasIn(body),
  };
}

/**
 * A strategic merge patch lists what to delete, and the order of what remains, where anything does
 * (strategicpatch.CreateTwoWayMergePatch). Without these directives the list is the new one.
 */
function patchedFinalizers(metadata: Json): readonly string[] | undefined {
  const remaining = metadata['$setElementOrder/finalizers'];
  if (Array.isArray(remaining)) return textsOf(remaining);
  if (Array.isArray(metadata['$deleteFromPrimitiveList/finalizers'])) return [];
  const { finalizers } = metadata;
  if (finalizers === null) return [];
  return Array.isArray(finalizers) ? textsOf(finalizers) : undefined;
}

/** JSON Patch (RFC 6902): only operations that set or remove a whole field show its value. */
function patchedByOperations(operations: readonly unknown[]): Said {
  let said = nothing;
  for (const operation of operations) {
    const { op, path, value } = fieldsOf(operation);
    const isSet = op === 'add' || op === 'replace';
    if (path === '/spec/replicas' && isSet) {
      said = { ...said, replicas: replicasIn({ spec: { replicas: value } }) };
    } else if (path === '/metadata/finalizers') {
      said = { ...said, finalizers: op === 'remove' ? [] : isSet ? textsOf(value) : undefined };
    }
  }
  return said;
}

function replicasIn(body: unknown): number | undefined {
  const replicas = fieldAt(body, 'spec.replicas');
  return typeof replicas === 'number' && Number.isInteger(replicas) ? replicas : undefined;
}

/** Undefined for entries with a directive of a strategic merge patch: they are not the whole list. */
function ownersIn(references: unknown): readonly OwnerReference[] | undefined {
  return listOf(references, (entry) => {
    const reference = jsonOf(entry);
    if (!reference || reference.$patch !== undefined) return undefined;
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
    return {
      apiVersion: textOrEmpty(apiVersion),
      kind: textOrEmpty(kind),
      name: textOrEmpty(name),
      uid: textOrEmpty(uid),
      controller: answerIn(controller),
      blockOwnerDeletion: answerIn(blockOwnerDeletion),
    };
  });
}

/** A patch by operations, or by directives of a strategic merge patch. */
export function patchesSomeOwners(body: unknown): boolean {
  if (Array.isArray(body)) {
    return body.some((one) =>
      textOrEmpty(fieldsOf(one).path).startsWith('/metadata/ownerReferences'),
    );
  }
  const { ownerReferences } = fieldsOf(fieldAt(body, 'metadata'));
  return (
    Array.isArray(ownerReferences) && ownersIn(ownerReferences)?.length !== ownerReferences.length
  );
}

function answerIn(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

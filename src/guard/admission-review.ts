import { fieldsOf, type Json, jsonOf, textAt, textOrEmpty } from '../kube/json-value.ts';
import type { DeleteOptions } from '../simulator/api-server/request.ts';

/** What the API server asks of one DELETE (admission.k8s.io/v1). */
export interface DeletionRequest {
  /** Of the request: the answer has it, too. */
  readonly uid: string;
  readonly user: string;
  /** `jobs.batch` */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: Json;
  readonly options: DeleteOptions;
}

/** The request of an AdmissionReview; undefined where it is none about a deletion. */
export function deletionIn(review: unknown): DeletionRequest | undefined {
  const request = fieldsOf(fieldsOf(review).request);
  const object = jsonOf(request.oldObject);
  const uid = textOrEmpty(request.uid);
  if (request.operation !== 'DELETE' || !object || uid === '') return undefined;
  const group = textAt(request, 'resource.group');
  const resource = textAt(request, 'resource.resource');
  return {
    uid,
    user: textAt(request, 'userInfo.username'),
    resource: group === '' ? resource : `${resource}.${group}`,
    // A Namespace is in itself, as admission has it.
    namespace: textAt(object, 'metadata.namespace'),
    // Of a collection, each object is asked about without its name.
    name: textAt(object, 'metadata.name'),
    object,
    options: fieldsOf(request.options) as DeleteOptions,
  };
}

/** What the API server is answered. */
export interface AdmissionAnswer {
  readonly isAllowed: boolean;
  /** Why not, for the person who asked. */
  readonly message?: string;
  readonly warnings: readonly string[];
  /** Written to the audit log, each below the name of the webhook. */
  readonly audit: Readonly<Record<string, string>>;
}

export function reviewOf(
  uid: string,
  { isAllowed, message, warnings, audit }: AdmissionAnswer,
): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: isAllowed,
      ...(message !== undefined && { status: { code: 403, reason: 'Forbidden', message } }),
      ...(warnings.length > 0 && { warnings }),
      ...(Object.keys(audit).length > 0 && { auditAnnotations: audit }),
    },
  };
}

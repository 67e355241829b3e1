import type { ApiRequest } from '../connection/cluster-client.ts';
import { metadataOrJson } from '../get.ts';

/** One request that changes something, or has the server judge what would be changed. */
export interface WriteRequest {
  /** review: what the server answers a question to; nothing is stored. */
  readonly verb: keyof typeof methods;
  /** Below the server's address, without a query. */
  readonly path: string;
  /** The object, the patch, or options of a deletion (`propagationPolicy`, `gracePeriodSeconds`). */
  readonly body?: unknown;
  /** strategic: lists are merged by their keys. merge: lists are replaced. json: RFC 6902. */
  readonly patchType?: keyof typeof patchTypes;
  /** What the object must be; the server changes nothing else. */
  readonly guards?: Guards;
  /** The server checks everything and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Of the object no more than its metadata is answered. */
  readonly metadataOnly?: boolean;
  /** User to impersonate. */
  readonly as?: string | undefined;
}

export interface Guards {
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
}

/** Labels of what kubectl gc creates itself. */
export const ownLabels = { 'app.kubernetes.io/managed-by': 'kubectl-gc' } as const;

const methods = {
  create: 'POST',
  review: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** The name under which the server notes which fields our requests set. */
export const fieldManager = 'kubectl-gc';

/** The request as it is sent, under our field manager. */
export function apiRequestOf(write: WriteRequest): ApiRequest {
  const { verb, path, patchType, dryRun, metadataOnly, as } = write;
  const query = [
    ...(verb === 'delete' || verb === 'review' ? [] : [`fieldManager=${fieldManager}`]),
    ...(dryRun ? ['dryRun=All'] : []),
  ];
  return {
    method: methods[verb],
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: {
      'content-type': patchType ? patchTypes[patchType] : 'application/json',
      accept: metadataOnly ? metadataOrJson : 'application/json',
      ...(as !== undefined && { 'impersonate-user': as }),
    },
    body: JSON.stringify(contentOf(write)),
  };
}

function contentOf({ verb, body, patchType, guards, dryRun }: WriteRequest): unknown {
  if (verb === 'delete') {
    return {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...Object(body),
      ...(guards && { preconditions: guards }),
      // A DELETE with a body takes all its options from there, and none from the query (GC-50).
      ...(dryRun && { dryRun: ['All'] }),
    };
  }
  if (!guards) return body;
  if (patchType !== 'json') {
    // A server takes a patch that names a uid or a version for no other.
    return { ...Object(body), metadata: { ...Object(Object(body).metadata), ...guards } };
  }
  const tests = Object.entries(guards).flatMap(([field, value]) =>
    value === undefined ? [] : { op: 'test', path: `/metadata/${field}`, value },
  );
  return [...tests, ...(body as readonly object[])];
}

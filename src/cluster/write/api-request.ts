import type { V1DeleteOptions } from '@kubernetes/client-node';
import type { ClearedRequest } from '../connection/cluster-client.ts';
import { metadataOrJson } from '../get.ts';
import type { ClearedWrite } from './clearance.ts';
import { fieldManager, type Sent, type WriteRequest } from './write-request.ts';

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
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
} as const;

/** The request as it is sent, under our field manager. */
export function apiRequestOf(cleared: ClearedWrite): ClearedRequest {
  const { write } = cleared;
  const { verb, path, patchType, dryRun, metadataOnly, as, manager = fieldManager } = write;
  const query = [
    ...(verb === 'delete' || verb === 'review'
      ? []
      : [`fieldManager=${encodeURIComponent(manager)}`]),
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
    cleared,
  };
}

function deleteOptionsOf({
  body,
  guards,
  dryRun,
}: Extract<WriteRequest, { verb: 'delete' }>): Sent<V1DeleteOptions> {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...body,
    ...(guards && { preconditions: guards }),
    // A DELETE with a body takes all its options from there, and none from the query (GC-50).
    ...(dryRun && { dryRun: ['All'] }),
  };
}

function contentOf(write: WriteRequest): unknown {
  if (write.verb === 'delete') return deleteOptionsOf(write);
  const { body, patchType, guards } = write;
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

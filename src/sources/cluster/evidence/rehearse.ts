import type { ClusterClient } from '../../../client/cluster-client.ts';
import type { RehearsedRequest } from '../../../diagnosis/evidence.ts';
import type { Answer } from '../../../diagnosis/inquiry.ts';
import { objectPath } from '../../../kube/object-path.ts';
import { failureOf } from '../api-failure.ts';
import { serverTimeOf } from '../get.ts';
import { readBody } from '../read-body.ts';

/** Sends a request as a dry run: admission and validation judge it, and nothing is stored. */
export async function rehearse(
  client: ClusterClient,
  { verb, type, namespace, name, body, as }: RehearsedRequest,
): Promise<Answer> {
  const isPatch = verb === 'patch';
  const query = `?dryRun=All${isPatch ? '&fieldManager=kubectl-gc' : ''}`;
  // A DELETE with a body takes all its options from there, and none from the query (GC-50).
  const content = isPatch ? body : { ...Object(body), dryRun: ['All'] };
  const response = await client.request({
    method: isPatch ? 'PATCH' : 'DELETE',
    path: objectPath(type, namespace, name) + query,
    headers: {
      'content-type': isPatch ? 'application/json-patch+json' : 'application/json',
      accept: 'application/json',
      ...(as && { 'impersonate-user': as.name }),
    },
    body: JSON.stringify(content),
  });
  const readAt = serverTimeOf(response) ?? `${new Date().toISOString().slice(0, -5)}Z`;
  if (response.status >= 200 && response.status < 300) {
    await readBody(response);
    return { readAt, value: { accepted: true, status: response.status, message: '' } };
  }
  const { status, message } = await failureOf(response);
  // The webhook was not even called, so this says nothing about a real request.
  if (message.includes('does not support dry run')) return { readAt, because: message };
  return { readAt, value: { accepted: false, status, message } };
}

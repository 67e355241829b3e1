import type { ClusterClient } from '../../../client/cluster-client.ts';
import type { ReviewedUser } from '../../../diagnosis/evidence.ts';
import type { Answer } from '../../../diagnosis/inquiry.ts';
import { failureOf } from '../api-failure.ts';
import { serverTimeOf } from '../get.ts';
import { parseJson, readBody } from '../read-body.ts';

/** Asks the authorizer whether a user may do something to every object of every kind. */
export async function reviewAccess(
  client: ClusterClient,
  { name, groups }: ReviewedUser,
  verb: string,
): Promise<Answer> {
  const response = await client.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: name, groups, resourceAttributes: { verb, group: '*', resource: '*' } },
    }),
  });
  const readAt = serverTimeOf(response) ?? `${new Date().toISOString().slice(0, -5)}Z`;
  if (response.status >= 300) {
    const failure = await failureOf(response);
    return { readAt, because: failure.message };
  }
  const review = parseJson(await readBody(response)) as {
    readonly status?: { readonly allowed?: boolean; readonly reason?: string };
  };
  const { allowed = false, reason = '' } = review.status ?? {};
  return { readAt, value: { allowed, reason } };
}

import { releaseLabels } from '../delivery/helm.ts';
import { errorMessage, exitCodes, GcError } from '../errors.ts';
import { fieldsOf, textAt } from '../kube/json-value.ts';
import { selectorOfLabels } from '../kube/label-selector.ts';
import { ApiFailure, statusError } from './api-failure.ts';
import { apiPath } from './api-path.ts';
import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { fullJson, get, metadataListOrJson } from './get.ts';
import { answeredItem, answeredList } from './list/answered-list.ts';
import { readBody, UnreadableJson } from './read-body.ts';
import type { HelmRelease } from './release-in-secret.ts';

/**
 * The newest revision of a release, as Helm v3 and v4 store it in a Secret (pkg/storage/driver/secrets.go): one request for
 * the names of all, and one for the data of that. Throws a GcError where there is none, or it may not be read.
 */
export async function readHelmRelease(
  client: ClusterClient,
  namespace: string,
  name: string,
): Promise<HelmRelease> {
  const secretsPath = apiPath('api', 'v1', 'namespaces', namespace, 'secrets');
  const query = new URLSearchParams({ labelSelector: selectorOfLabels(releaseLabels(name)) });
  const doing = `read release "${name}" in namespace ${namespace}`;
  const listed = await get(client, `${secretsPath}?${query}`, metadataListOrJson, {});
  const { items } = await answered(listed, doing, answeredList);
  const revisions = items
    .map(({ metadata }) => ({
      secret: textAt(metadata, 'name'),
      revision: Number(textAt(metadata, 'labels.version')),
    }))
    .sort((a, b) => a.revision - b.revision);
  const newest = revisions.at(-1);
  if (!newest) {
    throw new GcError(`release "${name}" not found in namespace ${namespace}`, {
      code: 'not-found',
      suggestions: ['To list the releases of all namespaces: helm list -A'],
      exitCode: exitCodes.failed,
    });
  }
  const read = await get(client, `${secretsPath}${apiPath(newest.secret)}`, fullJson, {});
  const secret = await answered(read, doing, (body) => answeredItem(body, newest.secret));
  const secrets = revisions.map((one) => one.secret);
  // It reads YAML, which other deletions need not load.
  const { releaseIn } = await import('./release-in-secret.ts');
  return { namespace, ...releaseIn(fieldsOf(secret), name), name, secrets };
}

/** What an answer says; a GcError where it is a refusal, or none of a Kubernetes API server. */
async function answered<T>(
  response: ApiResponse,
  doing: string,
  read: (body: Buffer) => T,
): Promise<T> {
  if (response.status !== 200) throw await statusError(response, doing);
  try {
    return read(await readBody(response));
  } catch (cause) {
    if (!(cause instanceof UnreadableJson || cause instanceof ApiFailure)) throw cause;
    const message = `could not ${doing}: ${errorMessage(cause)}`;
    throw new GcError(message, {
      code: 'server-error',
      exitCode: exitCodes.failed,
      suggestions: ['Ask again, or as a user who may read Secrets in its namespace.'],
      cause,
    });
  }
}

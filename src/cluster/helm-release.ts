import { exitCodes, GcError } from '../errors.ts';
import { fieldsOf, textAt } from '../kube/json-value.ts';
import { apiPath } from '../kube/path-segment.ts';
import { failureOf } from './api-failure.ts';
import type { ClusterClient } from './connection/cluster-client.ts';
import { fullJson, get, metadataListOrJson } from './get.ts';
import { answeredItem, answeredList } from './list/answered-list.ts';
import { readBody } from './read-body.ts';
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
  const home = apiPath('api', 'v1', 'namespaces', namespace, 'secrets');
  const query = new URLSearchParams({ labelSelector: `owner=helm,name=${name}` });
  const listed = await get(client, `${home}?${query}`, metadataListOrJson, {});
  if (listed.status !== 200) throw await failureOf(listed);
  const { items } = answeredList(await readBody(listed));
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
      exitCode: exitCodes.failed,
    });
  }
  const read = await get(client, `${home}${apiPath(newest.secret)}`, fullJson, {});
  if (read.status !== 200) throw await failureOf(read);
  const secret = answeredItem(await readBody(read), newest.secret);
  const secrets = revisions.map((one) => one.secret);
  // It reads YAML, which other deletions need not load.
  const { releaseIn } = await import('./release-in-secret.ts');
  return { namespace, ...releaseIn(fieldsOf(secret), name), name, secrets };
}

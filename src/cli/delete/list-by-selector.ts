import type { ApiResponse, ClusterClient } from '../../client/cluster-client.ts';
import { objectPath } from '../../kube/object-path.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { AnsweredList } from '../../sources/cluster/answered-list.ts';
import type { DeletionTarget } from './deletion-target.ts';
import { type Failure, failureOf, readAnswer } from './failure.ts';

export interface ServerSelectors {
  readonly selector: string;
  readonly fieldSelector: string;
}

const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const pageSize = 500;

/** The objects of a type that the server's selectors match, in the server's order. */
export async function listBySelector(
  client: ClusterClient,
  type: ResourceType,
  namespace: string,
  selectors: ServerSelectors,
): Promise<{ readonly targets: readonly DeletionTarget[]; readonly failure?: Failure }> {
  const { requestWithRetry } = await import('../../client/retry.ts');
  const targets: DeletionTarget[] = [];
  let token = '';
  do {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(selectors.selector !== '' && { labelSelector: selectors.selector }),
      ...(selectors.fieldSelector !== '' && { fieldSelector: selectors.fieldSelector }),
      ...(token !== '' && { continue: token }),
    });
    const path = `${objectPath(type, namespace)}?${query}`;
    const response = await requestWithRetry(client, { path, headers: { accept } });
    if (response.status !== 200) {
      return { targets, failure: worded(await failureOf(response), type, selectors) };
    }
    const page = await pageOf(response);
    if ('message' in page) return { targets, failure: worded(page, type, selectors) };
    for (const item of page.items) {
      const record = recordOf(item, type);
      targets.push({ type, namespace: record.namespace, name: record.name, record });
    }
    token = page.continue;
  } while (token !== '');
  return { targets };
}

/** What is no list must not count as an empty one. */
async function pageOf(response: ApiResponse): Promise<AnsweredList | Failure> {
  const [{ answeredList }, { readBody }] = await Promise.all([
    import('../../sources/cluster/answered-list.ts'),
    import('../../sources/cluster/read-body.ts'),
  ]);
  return readAnswer(async () => answeredList(await readBody(response)));
}

/** Of a request that makes no sense kubectl repeats what was asked for. */
function worded(
  failure: Failure,
  { group, version, resource }: ResourceType,
  { selector, fieldSelector }: ServerSelectors,
): Failure {
  const code = failure.status?.code;
  if (code !== 400 && code !== 404) return failure;
  const what = `"${group === '' ? '' : group}/${version}, Resource=${resource}"`;
  const message =
    selector === '' && fieldSelector === ''
      ? `Unable to list ${what}: ${failure.message}`
      : `Unable to find ${what} that match label selector "${selector}", field selector "${fieldSelector}": ${failure.message}`;
  return { ...failure, message };
}

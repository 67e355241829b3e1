import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { failureOf } from '../api-failure.ts';
import { objectPath } from '../api-path.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import {
  fewRetries,
  fullJson,
  type GetOptions,
  get,
  metadataListOrJson,
  serverTimeOf,
} from '../get.ts';
import { readBody } from '../read-body.ts';
import { answeredList, Pages } from './answered-list.ts';

interface PageOptions extends GetOptions {
  /** Whose list it must be; undefined: any kind's. */
  readonly type?: ResourceType;
  readonly accept?: string;
}

interface Page {
  readonly items: readonly KubeObject[];
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
}

/**
 * Reads a list page after page; `path` has a query with a limit. Throws ApiFailure for a page that the server
 * refuses, UnreadableJson for what is none.
 */
export async function* jsonPages(
  client: ClusterClient,
  path: string,
  { type, accept = fullJson, ...options }: PageOptions = {},
): AsyncGenerator<Page, void> {
  const pages = new Pages();
  let token = '';
  do {
    const next = token && `&continue=${encodeURIComponent(token)}`;
    const response = await get(client, path + next, accept, options);
    if (response.status !== 200) throw await failureOf(response);
    const { items, continue: more } = answeredList(await readBody(response), type);
    token = pages.next(more, items.length);
    yield { items, serverTime: serverTimeOf(response) };
  } while (token !== '');
}

/** Which objects are wanted. */
interface Listed {
  readonly type: ResourceType;
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  /** As in `kubectl get --field-selector`. */
  readonly fields?: string | undefined;
}

/** Objects of a kind in full; of Secrets and ConfigMaps metadata alone. Throws as `jsonPages` does. */
export async function listInFull(
  client: ClusterClient,
  { type, namespace, fields }: Listed,
): Promise<Page> {
  const query = new URLSearchParams({
    limit: '500',
    ...(fields !== undefined && { fieldSelector: fields }),
  });
  const path = `${objectPath(type, namespace ?? '')}?${query}`;
  const accept = holdsData(type) ? metadataListOrJson : fullJson;
  const items: KubeObject[] = [];
  let serverTime: string | undefined;
  for await (const page of jsonPages(client, path, { ...fewRetries, type, accept })) {
    for (const item of page.items) items.push(item);
    serverTime = page.serverTime;
  }
  return { items, serverTime };
}

/** The data of these never leaves the server. */
export function holdsData({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === 'Secret' || kind === 'ConfigMap');
}

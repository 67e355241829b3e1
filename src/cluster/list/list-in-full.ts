import type { KubeObject } from '../../kube/record-codec.ts';
import { objectPath, type ResourceType } from '../../kube/resource-type.ts';
import { type ApiFailure, failureOf } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { eager, get, metadataListOrJson, serverTimeOf } from '../get.ts';
import { readBody } from '../read-body.ts';
import { answeredList, Pages } from './answered-list.ts';

/** Which objects are wanted. */
interface Listed {
  readonly type: ResourceType;
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  /** As in `kubectl get --field-selector` and `--selector`. */
  readonly fields?: string | undefined;
  readonly labels?: string | undefined;
}

/** What the server answered: all objects, or why they cannot be read. */
type ListedInFull = {
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
} & (
  | { readonly items: readonly KubeObject[]; readonly failure?: undefined }
  | { readonly items?: undefined; readonly failure: ApiFailure }
);

const pageSize = 500;

/** Objects of a kind in full; of Secrets and ConfigMaps metadata alone. Throws where no answer, or no list, came. */
export async function listInFull(
  client: ClusterClient,
  { type, namespace, fields, labels }: Listed,
): Promise<ListedInFull> {
  const accept = holdsData(type) ? metadataListOrJson : 'application/json';
  const items: KubeObject[] = [];
  const pages = new Pages();
  let token = '';
  for (;;) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(fields !== undefined && { fieldSelector: fields }),
      ...(labels !== undefined && { labelSelector: labels }),
      ...(token !== '' && { continue: token }),
    });
    const path = `${objectPath(type, namespace ?? '')}?${query}`;
    const response = await get(client, path, accept, eager);
    const serverTime = serverTimeOf(response);
    if (response.status !== 200) return { serverTime, failure: await failureOf(response) };
    const page = pages.checked(answeredList(await readBody(response), type));
    for (const item of page.items) items.push(item);
    token = page.continue;
    if (token === '') return { serverTime, items };
  }
}

/** The data of these never leaves the server. */
export function holdsData({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === 'Secret' || kind === 'ConfigMap');
}

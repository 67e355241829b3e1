import type { ApiResponse, ClusterClient } from '../../../client/cluster-client.ts';
import type { Query } from '../../../diagnosis/evidence.ts';
import type { Answer } from '../../../diagnosis/inquiry.ts';
import { objectPath } from '../../../kube/object-path.ts';
import type { KubeObject } from '../../../kube/record-codec.ts';
import type { ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { metadataObjectJson } from '../accept.ts';
import { answeredItem, answeredList } from '../answered-list.ts';
import { failureOf } from '../api-failure.ts';
import { type GetOptions, get, serverTimeOf } from '../get.ts';
import { readBody } from '../read-body.ts';
import { readContent } from './read-content.ts';
import { rehearse } from './rehearse.ts';
import { reviewAccess } from './review-access.ts';

const metadataListJson =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const pageSize = 500;

/** Reads what a diagnosis asks for from a cluster; what cannot be read is an answer, too. */
export function answerFromCluster(
  client: ClusterClient,
  types: ResourceTypes,
  options: GetOptions = {},
): (query: Query) => Promise<Answer> {
  return async (query) => {
    try {
      return await answer(query);
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      return { readAt: localTime(), because };
    }
  };

  async function answer(query: Query): Promise<Answer> {
    const eager = { ...options, retry: options.retry ?? (await fewTries()) };
    switch (query.ask) {
      case 'object':
        return readOne(client, query, eager);
      case 'list':
        return readList(client, query, eager);
      case 'content':
        return readContent(client, types, query.namespace, eager);
      case 'rehearsal':
        return rehearse(client, query.request);
      case 'access':
        return reviewAccess(client, query.user, query.verb);
    }
  }
}

/** What is broken stays broken: a diagnosis wants to hear so soon. */
async function fewTries() {
  const { defaultRetryPolicy } = await import('../../../client/retry.ts');
  return { ...defaultRetryPolicy, tries: 2 };
}

async function readOne(
  client: ClusterClient,
  { type, namespace, name }: Extract<Query, { ask: 'object' }>,
  options: GetOptions,
): Promise<Answer> {
  const accept = holdsData(type) ? metadataObjectJson : 'application/json';
  const response = await get(client, objectPath(type, namespace, name), accept, options);
  const readAt = timeOf(response);
  if (response.status === 200) {
    return { readAt, value: answeredItem(await readBody(response), name) };
  }
  const failure = await failureOf(response);
  if (failure.status === 404) return { readAt, value: undefined };
  return { readAt, because: failure.message };
}

async function readList(
  client: ClusterClient,
  { type, namespace, fields, labels }: Extract<Query, { ask: 'list' }>,
  options: GetOptions,
): Promise<Answer> {
  const accept = holdsData(type) ? metadataListJson : 'application/json';
  const items: KubeObject[] = [];
  let token = '';
  for (;;) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(fields !== undefined && { fieldSelector: fields }),
      ...(labels !== undefined && { labelSelector: labels }),
      ...(token !== '' && { continue: token }),
    });
    const path = `${objectPath(type, namespace ?? '')}?${query}`;
    const response = await get(client, path, accept, options);
    const readAt = timeOf(response);
    if (response.status !== 200) {
      const failure = await failureOf(response);
      return { readAt, because: failure.message };
    }
    const page = answeredList(await readBody(response));
    for (const item of page.items) items.push(item);
    token = page.continue;
    if (token === '') return { readAt, value: items };
  }
}

/** The data of these never leaves the server. */
function holdsData({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === 'Secret' || kind === 'ConfigMap');
}

function timeOf(response: ApiResponse): string {
  return serverTimeOf(response) ?? localTime();
}

function localTime(): string {
  return `${new Date().toISOString().slice(0, -5)}Z`;
}

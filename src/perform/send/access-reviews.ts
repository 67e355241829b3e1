import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import {
  type Access,
  keyOf,
  review,
  type UnallowedRequest,
  unallowedOf,
} from '../../cluster/write/access-reviews.ts';
import type { PlannedRequest } from '../../deletion/plan/plan.ts';
import { groupResourceOf, parseApiVersion } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

export interface AccessReviews {
  readonly unallowed: readonly UnallowedRequest[];
  /** What following will have to do without: one sentence each. */
  readonly notes: readonly string[];
}

const concurrency = 4;

/** Asks the server whether the requests are permitted, before any of them is sent. */
export async function accessReviews(
  client: ClusterClient,
  requests: readonly PlannedRequest[],
  types: ResourceTypes,
  signal?: AbortSignal,
): Promise<AccessReviews> {
  const unserved = requests.filter(({ apiVersion, kind }) => !types.find(apiVersion, kind));
  const accesses = requests.flatMap((request) => accessesOf(request, types));
  const deletions = accesses.filter(({ verb }) => verb === 'delete');
  const scopes = new Map(deletions.map((access) => [keyOf(access), access]));
  const [unallowed, notes] = await Promise.all([
    unallowedOf(client, accesses, signal),
    inParallel([...scopes.values()], concurrency, (scope) => followingNote(client, scope, signal)),
  ]);
  return {
    unallowed: [...unserved.map(notServed), ...unallowed],
    notes: notes.filter((note) => note !== undefined),
  };
}

function notServed({ apiVersion, kind, namespace, name }: PlannedRequest): UnallowedRequest {
  const { group = '' } = parseApiVersion(apiVersion) ?? {};
  const reason = `${kind} is not served any more`;
  return { group, resource: kind, namespace, name, answer: 'unknown', reason };
}

/** All that is done for a request. */
function accessesOf(
  { verb, patch, node, apiVersion, kind, namespace, name }: PlannedRequest,
  types: ResourceTypes,
): Access[] {
  const type = types.find(apiVersion, kind);
  if (!type) return [];
  const object = { type, namespace, name };
  const nodes = node && types.find('v1', 'Node');
  return [
    ...(verb === 'delete' ? [{ verb, ...object }] : []),
    ...(patch ? [{ verb: 'patch' as const, ...object, subresource: patch.subresource }] : []),
    ...(nodes ? [{ verb: 'get' as const, type: nodes, namespace: '', name: node.name }] : []),
  ];
}

async function followingNote(
  client: ClusterClient,
  scope: Access,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { type, namespace } = scope;
  const where = groupResourceOf(type) + (namespace ? ` in ${namespace}` : '');
  const [list, watch] = await Promise.all(
    ['list', 'watch'].map((verb) =>
      review(client, { type, namespace, name: undefined, verb }, signal),
    ),
  );
  if (list?.answer === 'denied')
    return `${where} may not be listed: each object is looked at by name`;
  if (watch?.answer === 'denied')
    return `${where} may not be watched: they are listed again and again`;
  return undefined;
}

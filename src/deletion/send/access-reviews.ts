import { failureOf } from '../../cluster/api-failure.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { parseJsonBody, readBody } from '../../cluster/read-body.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { PlannedRequest } from '../plan/plan.ts';

/** A request that the server would refuse, or about which it gave no answer. */
export interface UnallowedRequest {
  /** A deletion, unless it says something else. */
  readonly verb?: 'patch' | 'get';
  readonly subresource?: 'status';
  readonly group: string;
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Undefined: every object of that kind there. */
  readonly name: string | undefined;
  /** unknown: the review itself failed. */
  readonly answer: 'denied' | 'unknown';
  readonly reason: string;
}

export interface AccessReviews {
  readonly unallowed: readonly UnallowedRequest[];
  /** What following will have to do without: one sentence each. */
  readonly notes: readonly string[];
}

const concurrency = 4;
/** Where a kind may not be deleted as a whole, single names are asked for up to this many. */
const mostNames = 20;

interface Asked {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly names: Set<string>;
  /** `delete` unless it says something else. */
  readonly verb?: 'patch' | 'get';
  readonly subresource?: 'status';
}

/** Asks the server whether the requests are permitted, before any of them is sent. */
export async function accessReviews(
  client: ClusterClient,
  requests: readonly PlannedRequest[],
  types: ResourceTypes,
): Promise<AccessReviews> {
  const unallowed: UnallowedRequest[] = [];
  const asked = askedOf(requests, types, unallowed);
  const answers = await inParallel(asked, concurrency, (each) => reviewRequest(client, each));
  const deleted = asked.filter(({ verb }) => verb === undefined);
  const notes = await inParallel(deleted, concurrency, (each) => followingNote(client, each));
  return {
    unallowed: [...unallowed, ...answers.flat()],
    notes: notes.filter((note) => note !== undefined),
  };
}

function askedOf(
  requests: readonly PlannedRequest[],
  types: ResourceTypes,
  unallowed: UnallowedRequest[],
): Asked[] {
  const asked = new Map<string, Asked>();
  const ask = (one: Omit<Asked, 'names'>, name: string) => {
    const { type, namespace, verb, subresource } = one;
    const key = `${verb} ${groupResourceOf(type)} ${subresource} ${namespace}`;
    const known = asked.get(key);
    if (!known) asked.set(key, { ...one, names: new Set([name]) });
    else known.names.add(name);
  };
  const nodes = types.find('v1', 'Node');
  for (const { verb, patch, node, apiVersion, kind, namespace, name } of requests) {
    const type = types.find(apiVersion, kind);
    if (!type) {
      const slash = apiVersion.indexOf('/');
      const group = slash < 0 ? '' : apiVersion.slice(0, slash);
      const reason = `${kind} is not served any more`;
      unallowed.push({ group, resource: kind, namespace, name, answer: 'unknown', reason });
      continue;
    }
    if (verb === 'delete') ask({ type, namespace }, name);
    if (patch) {
      const { subresource } = patch;
      ask({ type, namespace, verb: 'patch', ...(subresource && { subresource }) }, name);
    }
    if (node && nodes) ask({ type: nodes, namespace: '', verb: 'get' }, node.name);
  }
  return [...asked.values()];
}

async function reviewRequest(client: ClusterClient, asked: Asked): Promise<UnallowedRequest[]> {
  const { type, namespace, names, verb, subresource } = asked;
  const { group, resource } = type;
  const what = { ...(verb && { verb }), ...(subresource && { subresource }), group, resource };
  const whole = await review(client, asked, verb ?? 'delete');
  if (whole.answer === 'allowed') return [];
  const { answer, reason } = whole;
  if (answer === 'unknown' || names.size > mostNames) {
    return [{ ...what, namespace, name: undefined, answer, reason }];
  }
  // Roles may name single objects.
  const each = await inParallel([...names], concurrency, async (name) => ({
    name,
    ...(await review(client, asked, verb ?? 'delete', name)),
  }));
  return each.flatMap(({ name, answer: one, reason: why }) =>
    one === 'allowed' ? [] : [{ ...what, namespace, name, answer: one, reason: why }],
  );
}

async function followingNote(client: ClusterClient, asked: Asked): Promise<string | undefined> {
  const where = groupResourceOf(asked.type) + (asked.namespace ? ` in ${asked.namespace}` : '');
  const [list, watch] = await Promise.all([
    review(client, asked, 'list'),
    review(client, asked, 'watch'),
  ]);
  if (list.answer === 'denied')
    return `${where} may not be listed: each object is looked at by name`;
  if (watch.answer === 'denied')
    return `${where} may not be watched: they are listed again and again`;
  return undefined;
}

interface Answer {
  readonly answer: 'allowed' | 'denied' | 'unknown';
  readonly reason: string;
}

async function review(
  client: ClusterClient,
  { type, namespace, subresource }: Asked,
  verb: string,
  name?: string,
): Promise<Answer> {
  const { group, version, resource } = type;
  const resourceAttributes = {
    namespace,
    verb,
    group,
    version,
    resource,
    ...(subresource && { subresource }),
    ...(name && { name }),
  };
  try {
    const response = await client.request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      }),
    });
    if (response.status !== 200 && response.status !== 201) throw await failureOf(response);
    const { status } = parseJsonBody(await readBody(response)) as { status?: ReviewStatus };
    if (status?.allowed === true) return { answer: 'allowed', reason: '' };
    const reason = status?.reason || status?.evaluationError;
    const kind = `${groupResourceOf(type)}${subresource ? `/${subresource}` : ''}`;
    const where = `${kind}${name ? `/${name}` : ''}`;
    const place = namespace === '' ? '' : ` in the namespace ${namespace}`;
    const denied = `it is not permitted to ${verb} ${where}${place}`;
    return { answer: 'denied', reason: reason ? `${denied}: ${reason}` : denied };
  } catch (error) {
    return { answer: 'unknown', reason: error instanceof Error ? error.message : String(error) };
  }
}

interface ReviewStatus {
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

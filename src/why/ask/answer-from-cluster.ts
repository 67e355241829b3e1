import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure } from '../../cluster/api-failure.ts';
import { objectPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { fewRetries, type GetOptions, observedAtOf } from '../../cluster/get.ts';
import { atOnce, inParallel } from '../../cluster/in-parallel.ts';
import type { Discovery } from '../../cluster/list/discover.ts';
import {
  type FetchedManifest,
  fetchManifests,
  type WantedManifest,
} from '../../cluster/list/fetch-manifests.ts';
import { holdsData, listInFull } from '../../cluster/list/list-in-full.ts';
import { listKind } from '../../cluster/list/list-kind.ts';
import { howToList, listObjects, listSecrets } from '../../cluster/list/list-objects.ts';
import { loadManagerSettings } from '../../cluster/settings/load-settings.ts';
import { reviewAccess } from '../../cluster/write/access-reviews.ts';
import { rehearse as rehearseWrite } from '../../cluster/write/rehearse.ts';
import { isJudgement } from '../../cluster/write/write-answer.ts';
import type { WriteRequest } from '../../cluster/write/write-request.ts';
import { errorMessage } from '../../errors.ts';
import { hasOwnFacts } from '../../kube/facts/object-facts.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import { selectorOfLabels } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceToPlace } from '../../kube/object-reference.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, isDeletable, isSecretType } from '../../kube/resource-type.ts';
import { controllerSettingsOf } from '../../settings/controller-settings.ts';
import { effectiveSettings } from '../../settings/effective-settings.ts';
import { undiscovered } from '../answer-from-snapshot.ts';
import type { Answer, Query, RehearsedRequest, ReviewedUser, Unread } from '../inquiry.ts';

/** The garbage collector processes an object within a second of the event, if it is not behind. */
const untilLater = 3000;

type Served = Pick<Discovery, 'types' | 'serverVersion'> & Partial<Discovery>;
export type AskedCluster = Served & { readonly client: ClusterClient };

/**
 * Reads from a cluster what a diagnosis asks for; that something cannot be read is an answer, too.
 */
export function answerFromCluster({
  client,
  ...discovery
}: AskedCluster): (query: Query) => Promise<Answer> {
  const objects = new ObjectRounds(client);
  return async (query) => {
    try {
      return await answer(query);
    } catch (error) {
      const [status, at] = error instanceof ApiFailure ? [error.status, error.serverTime] : [0];
      return { readAt: at ?? localTime(), ...unread(status, errorMessage(error)) };
    }
  };

  async function answer(query: Query): Promise<Answer> {
    switch (query.ask) {
      case 'object':
        return objects.read(query);
      case 'events': {
        const { serverTime, items } = await listInFull(client, query);
        return { readAt: serverTime ?? localTime(), value: items };
      }
      case 'list':
        return readList(client, discovery, query);
      case 'content':
        return readContent(client, discovery, query);
      case 'rehearsal':
        return rehearse(client, query.request, fewRetries);
      case 'access':
        return mayDoToAll(client, query.user, query.verb);
      case 'settings': {
        const facts = await loadManagerSettings(client);
        const value = controllerSettingsOf(effectiveSettings(facts));
        return { readAt: facts.observedAt, value };
      }
    }
  }
}

/** Objects that a diagnosis asks for in one round, which are read together. */
class ObjectRounds {
  readonly #client: ClusterClient;
  #round: WantedManifest[] = [];
  #answers: Promise<ReadonlyMap<WantedManifest, FetchedManifest>> | undefined;

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  async read({ type, isLater, ...at }: Extract<Query, { ask: 'object' }>): Promise<Answer> {
    if (isLater) await sleep(untilLater);
    const namespace = type.namespaced ? at.namespace : '';
    const wanted = { object: referenceToPlace({ type, namespace, name: at.name }), type };
    this.#round.push(wanted);
    this.#answers ??= Promise.resolve().then(() => this.#readRound());
    const fetched = (await this.#answers).get(wanted);
    const readAt = fetched?.serverTime ?? localTime();
    if (fetched && 'manifest' in fetched) {
      const { managedFields } = fetched.manifest.metadata;
      return { readAt, value: { ...inFull(recordOf(fetched.manifest, type)), managedFields } };
    }
    if (fetched?.unread === 'gone') return { readAt, value: undefined };
    throw fetched?.cause;
  }

  async #readRound(): Promise<ReadonlyMap<WantedManifest, FetchedManifest>> {
    const wanted = this.#round;
    this.#round = [];
    this.#answers = undefined;
    const found = new Map<WantedManifest, FetchedManifest>();
    const take = (fetched: FetchedManifest) => void found.set(fetched.wanted, fetched);
    await fetchManifests(this.#client, wanted, take, { ...fewRetries, isBare: holdsData });
    return found;
  }
}

async function readList(
  client: ClusterClient,
  served: Served,
  { type, namespace, fields, labels }: Extract<Query, { ask: 'list' }>,
): Promise<Answer> {
  // Only of a Secret that is asked for by its name the type counts.
  const list = isSecretType(type) && fields !== undefined ? listSecrets : listObjects;
  const { records, serverTime } = await list(client, type, namespace, {
    ...fewRetries,
    ...howToList(served, 'latest'),
    facts: 'all',
    prefersHttp2: namespace === undefined,
    fieldSelector: fields,
    ...(labels && { labelSelector: selectorOfLabels(labels) }),
  });
  return { readAt: serverTime ?? localTime(), value: records.map(inFull) };
}

/** What was asked for in full and has no facts has nothing that is kept as such. */
function inFull(record: ObjectRecord): ObjectRecord {
  return record.facts || !hasOwnFacts(record.type) ? record : { ...record, facts: {} };
}

function localTime(): string {
  return `${new Date().toISOString().slice(0, -5)}Z`;
}

/**
 * Sends a request as a dry run: admission and validation judge it, and nothing is stored.
 * @internal
 */
export async function rehearse(
  client: ClusterClient,
  { verb, type, namespace, name, body, as }: RehearsedRequest,
  options: GetOptions = {},
): Promise<Answer> {
  const shared = { path: objectPath(type, namespace, name), as: as?.name };
  const write: WriteRequest =
    verb === 'patch'
      ? { ...shared, verb, body, patchType: 'json' }
      : { ...shared, verb, body: fieldsOf<Json>(body) };
  const { retry, signal } = options;
  const answer = await rehearseWrite(client, write, { retry, signal });
  const { outcome, code, message, serverTime } = answer;
  const readAt = serverTime ?? localTime();
  if (outcome === 'done') return { readAt, value: { accepted: true, status: code, message: '' } };
  return isJudgement(answer)
    ? { readAt, value: { accepted: false, status: code, message } }
    : { readAt, ...unread(code, message) };
}

/** Asks the authorizer whether a user may do something to every object of every kind. */
async function mayDoToAll(
  client: ClusterClient,
  { name, groups }: ReviewedUser,
  verb: string,
): Promise<Answer> {
  const resourceAttributes = { verb, group: '*', resource: '*' };
  const { allowed, reason, code, serverTime } = await reviewAccess(client, {
    user: name,
    groups,
    resourceAttributes,
  });
  const readAt = serverTime ?? localTime();
  return allowed === undefined
    ? { readAt, ...unread(code, reason) }
    : { readAt, value: { allowed, reason } };
}

/** By the HTTP status, 0 without an answer. */
function unread(status: number, message: string): Unread {
  return { reason: status === 401 || status === 403 ? 'forbidden' : 'unavailable', message };
}

/** Metadata of every kind that can be deleted, or of one, in one namespace or everywhere. */
async function readContent(
  client: ClusterClient,
  served: Served,
  { namespace, type: only, isLater }: Extract<Query, { ask: 'content' }>,
): Promise<Answer> {
  const { types } = served;
  const wanted = types
    .preferred()
    .filter((type) => isDeletable(type) && (namespace === undefined || type.namespaced))
    .filter((type) => only === undefined || groupResourceOf(type) === groupResourceOf(only));
  if (isLater) await sleep(untilLater);
  const scope = namespace === undefined ? {} : { namespaces: [namespace] };
  const together = namespace === undefined ? atOnce.long : atOnce.short;
  const kinds = await inParallel(wanted, together, async (type) => ({
    resource: groupResourceOf(type),
    ...(await listKind(client, type, scope, { ...fewRetries, ...howToList(served, 'latest') })),
  }));
  return {
    readAt: observedAtOf(kinds.map(({ serverTime }) => serverTime)),
    value: {
      records: kinds.flatMap(({ records }) => records),
      unread: [
        ...undiscovered(types),
        ...kinds.flatMap(({ resource, problems }) =>
          problems.slice(0, 1).map(({ reason, message }) => ({ resource, reason, message })),
        ),
      ],
    },
  };
}

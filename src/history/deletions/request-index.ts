import { pushTo } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { customResourceDefinitions } from '../../kube/well-known-kinds.ts';
import type { AuditedRequest } from '../audited-request.ts';
import { controllerClientOf, garbageCollector } from './requester.ts';

/** A name of a kind, which one object has at a time. */
export interface Place {
  /** As in `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What an object is deleted with: the definition of its kind, and its namespace. */
export function containersOf({ resource, namespace }: Place): readonly Place[] {
  const definition = { resource: customResourceDefinitions, namespace: '', name: resource };
  return namespace === ''
    ? [definition]
    : [definition, { resource: 'namespaces', namespace: '', name: namespace }];
}

/** Where an object is or was. */
export function placeIn({ type, namespace, name }: ObjectLocation): Place {
  return { resource: groupResourceOf(type), namespace, name };
}

/** What the names of types remember of each type would remain for each request. */
export function placeOfRequest({ group, resource, namespace, name }: AuditedRequest): Place {
  return { resource: group === '' ? resource : `${resource}.${group}`, namespace, name };
}

export function placeKey({ resource, namespace, name }: Place): string {
  return `${resource} ${namespace}/${name}`;
}

/** The garbage collector deletes an object milliseconds after it becomes garbage, unless it has much to do. */
export const longestReaction = 2_000;

function busyTimes(requests: readonly AuditedRequest[]): ReadonlyMap<AuditedRequest, number> {
  const times = new Map<AuditedRequest, number>();
  const latest = new Map<string, AuditedRequest>();
  for (const request of requests) {
    const { receivedAt, namespace } = request;
    const before = latest.get(namespace);
    const isBusy = before !== undefined && receivedAt - before.receivedAt <= longestReaction;
    times.set(request, (isBusy && times.get(before)) || receivedAt);
    latest.set(namespace, request);
  }
  return times;
}

/** So many characters are added to a generateName, which is cut off before that (simpleNameGenerator of apiserver/pkg/storage/names). */
const randomLength = 5;
const longestPrefix = 58;

/** By the place with what the names begin with; undefined where their owners differ. */
function generatedCreations(requests: readonly AuditedRequest[]) {
  const creations = new Map<string, AuditedRequest | undefined>();
  const ownersOf = (request: AuditedRequest) => request.body?.owners?.map(({ uid }) => uid).join();
  for (const request of requests) {
    const { generateName } = request.body ?? {};
    if (generateName === undefined) continue;
    const name = generateName.slice(0, longestPrefix);
    const key = placeKey({ ...placeOfRequest(request), name });
    const isKnown = creations.has(key);
    const first = isKnown ? creations.get(key) : request;
    creations.set(key, first && ownersOf(first) === ownersOf(request) ? first : undefined);
  }
  return creations;
}

/** A number below 2^32 for what these texts say, to find them by. */
export function hashOf(texts: readonly string[]): number {
  let hash = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  }
  return hash;
}

/**
 * What was asked of each object and of each collection, in the order of the answers. Dry runs are left out. Requests for one
 * object are linked by numbers: the names of all objects would take more memory than the requests.
 */
export class RequestIndex {
  readonly requests: readonly AuditedRequest[];
  /** By the hash of an object, its first request, and by a request, the next one with that hash; 0: there is none. */
  readonly #first: Uint32Array;
  readonly #next: Uint32Array;
  readonly #collections = new Map<string, AuditedRequest[]>();
  #busySince: ReadonlyMap<AuditedRequest, number> | undefined;
  #generated: ReadonlyMap<string, AuditedRequest | undefined> | undefined;
  /** Clients of kube-controller-manager that deleted something. */
  readonly #deleters = new Set<string>();

  constructor(requests: readonly AuditedRequest[]) {
    this.requests = requests.filter(({ isDryRun }) => !isDryRun);
    this.#first = new Uint32Array(this.requests.length + 1);
    this.#next = new Uint32Array(this.requests.length + 1);
    for (const [at, request] of this.requests.toReversed().entries()) {
      const client = isDeletion(request) ? controllerClientOf(request) : undefined;
      if (client !== undefined) this.#deleters.add(client);
      if (request.verb === 'deletecollection') continue;
      const bucket = this.#bucketOf(request);
      const number = this.requests.length - at;
      this.#next[number] = this.#first[bucket] ?? 0;
      this.#first[bucket] = number;
    }
    for (const request of this.requests) {
      if (request.verb !== 'deletecollection') continue;
      const { resource, namespace } = placeOfRequest(request);
      pushTo(this.#collections, `${resource} ${namespace}`, request);
    }
  }

  #bucketOf({ namespace, name }: Pick<Place, 'namespace' | 'name'>): number {
    return hashOf([name, namespace]) % this.#first.length;
  }

  /** Requests that name the object. */
  at(place: Place): readonly AuditedRequest[] {
    return [...this.#requestsAt(place)];
  }

  *#requestsAt(place: Place): Generator<AuditedRequest> {
    let number = this.#first[this.#bucketOf(place)] ?? 0;
    for (; number > 0; number = this.#next[number] ?? 0) {
      const request = this.requests[number - 1];
      if (request && isAt(request, place)) yield request;
    }
  }

  /** Deletions of collections that the object can have been in. */
  collectionsWith({ resource, namespace }: Place): readonly AuditedRequest[] {
    const of = (where: string) => this.#collections.get(`${resource} ${where}`) ?? [];
    return namespace === '' ? of('') : [...of(''), ...of(namespace)];
  }

  /**
   * Since when the garbage collector had deleted one object of the namespace after the other when it sent this request, epoch
   * milliseconds.
   */
  busySince(request: AuditedRequest): number {
    this.#busySince ??= busyTimes(
      this.requests.filter(
        (one) => one.verb === 'delete' && controllerClientOf(one) === garbageCollector,
      ),
    );
    return this.#busySince.get(request) ?? request.receivedAt;
  }

  /**
   * The first creation for which the server made up a name that begins as this one does, where all of them have the same
   * owners. An earlier one with other owners may not be in the log.
   */
  generatedAt({ name, ...place }: Place): AuditedRequest | undefined {
    this.#generated ??= generatedCreations(this.requests);
    return this.#generated.get(placeKey({ ...place, name: name.slice(0, -randomLength) }));
  }

  collections(): readonly AuditedRequest[] {
    return [...this.#collections.values()].flat();
  }

  /** Every object that a deletion named, once. */
  *deletedPlaces(): Generator<Place> {
    for (const request of this.requests) {
      if (!isDeletion(request) || request.name === '') continue;
      const place = placeOfRequest(request);
      for (const first of this.#requestsAt(place)) {
        if (first === request) yield place;
        if (isDeletion(first)) break;
      }
    }
  }

  /** Does the log hold any deletion of this controller? Where not, a policy may leave them out. */
  hasDeletionsBy(client: string): boolean {
    return this.#deleters.has(client);
  }
}

function isAt(request: AuditedRequest, { resource, namespace, name }: Place): boolean {
  if (request.namespace !== namespace || request.name !== name) return false;
  return placeOfRequest(request).resource === resource;
}

/** A DELETE of an object or a collection, or an eviction. */
export function isDeletion({ verb, subresource }: AuditedRequest): boolean {
  return isEviction({ verb, subresource }) || verb === 'deletecollection' || verb === 'delete';
}

export function isEviction({ verb, subresource }: Pick<AuditedRequest, 'verb' | 'subresource'>) {
  return verb === 'create' && subresource === 'eviction';
}

import type { ObjectLocation } from '../../kube/object-reference.ts';
import { pushTo } from '../../kube/push-to.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { customResourceDefinitions } from '../../kube/resources.ts';
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

export function placeOfRequest(request: AuditedRequest): Place {
  const { namespace, name } = request;
  return { resource: groupResourceOf(request), namespace, name };
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

/** What was asked of each object and of each collection, in the order of the answers. Dry runs are left out. */
export class RequestIndex {
  readonly requests: readonly AuditedRequest[];
  readonly #byPlace = new Map<string, AuditedRequest[]>();
  readonly #collections = new Map<string, AuditedRequest[]>();
  readonly #places = new Map<string, Place>();
  #busySince: ReadonlyMap<AuditedRequest, number> | undefined;
  /** Clients of kube-controller-manager that deleted something. */
  readonly #deleters = new Set<string>();

  constructor(requests: readonly AuditedRequest[]) {
    this.requests = requests.filter(({ isDryRun }) => !isDryRun);
    for (const request of this.requests) {
      const place = placeOfRequest(request);
      const { resource, namespace, name } = place;
      const client = isDeletion(request) ? controllerClientOf(request) : undefined;
      if (client !== undefined) this.#deleters.add(client);
      if (request.verb === 'deletecollection') {
        pushTo(this.#collections, `${resource} ${namespace}`, request);
      } else if (name !== '') {
        pushTo(this.#byPlace, placeKey(place), request);
        this.#places.set(placeKey(place), place);
      }
    }
  }

  /** Requests that name the object. */
  at(place: Place): readonly AuditedRequest[] {
    return this.#byPlace.get(placeKey(place)) ?? [];
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

  collections(): readonly AuditedRequest[] {
    return [...this.#collections.values()].flat();
  }

  /** Every object that a request named. */
  places(): Iterable<Place> {
    return this.#places.values();
  }

  /** Does the log hold any deletion of this controller? Where not, a policy may leave them out. */
  hasDeletionsBy(client: string): boolean {
    return this.#deleters.has(client);
  }
}

/** A DELETE of an object or a collection, or an eviction. */
export function isDeletion({ verb, subresource }: AuditedRequest): boolean {
  return isEviction({ verb, subresource }) || verb === 'deletecollection' || verb === 'delete';
}

export function isEviction({ verb, subresource }: Pick<AuditedRequest, 'verb' | 'subresource'>) {
  return verb === 'create' && subresource === 'eviction';
}

import { compareText } from '../../kube/names.ts';
import { hour } from '../../kube/time.ts';
import type { AuditedBody, AuditedRequest } from '../audited-request.ts';
import { isDeletion, placeKey, placeOfRequest } from '../deletions/request-index.ts';
import { controllerClientOf } from '../deletions/requester.ts';

/** What a question needs of the logs. Epoch milliseconds, both included. */
export interface LogScope {
  /** Deletions in this namespace and of cluster-scoped objects; undefined: all. */
  readonly namespace?: string | undefined;
  /** Deletions since then; an earlier request may be the reason of one. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Is an object of this name asked about, whenever it was removed? */
  readonly asksFor?: ((request: AuditedRequest) => boolean) | undefined;
}

/** An object that was removed longer before a deletion is not taken for its reason. */
const longestReach = hour;
/** So many requests are kept before it is asked which of them are needed any more. */
const fewRequests = 20_000;

/** Where the last request of a run is kept, and whether it has another one. */
interface Run {
  readonly at: number;
  readonly isFirst: boolean;
}

/** The requests that can be part of an answer: as many as the scope of the question asks for, not as the logs hold. */
export class KeptRequests {
  readonly #scope: LogScope;
  #kept: AuditedRequest[] = [];
  #mostKept = fewRequests;
  /** Of each controller one deletion, wherever: it shows that the policy does not leave them out. */
  readonly #ofControllers = new Map<string, AuditedRequest>();
  /** The last run of updates of each object in this file, by its resource, its namespace and its name. */
  #runs = new Map<string, Map<string, Map<string, Run>>>();

  constructor(scope: LogScope) {
    this.#scope = scope;
  }

  beginFile(): void {
    this.#runs = new Map();
  }

  add(request: AuditedRequest): void {
    const { until = Number.POSITIVE_INFINITY } = this.#scope;
    if (request.answeredAt > until) return;
    if (!this.#isFirstOfController(request) && !this.#isInNamespace(request)) return;
    this.#keep(request);
    if (this.#kept.length < this.#mostKept) return;
    const earlier = this.#kept;
    this.#forgetRemoved();
    if (this.#kept !== earlier) this.#moveRuns(earlier);
    this.#mostKept = fewRequests + 2 * this.#kept.length;
  }

  /** Owners are in the namespace of their dependents or in none; only the claim of a volume is elsewhere. */
  #isInNamespace({ namespace, resource, group }: AuditedRequest): boolean {
    const { namespace: asked } = this.#scope;
    if (asked === undefined || namespace === asked || namespace === '') return true;
    return resource === 'persistentvolumeclaims' && group === '';
  }

  #isFirstOfController(request: AuditedRequest): boolean {
    const client = isDeletion(request) ? controllerClientOf(request) : undefined;
    if (client === undefined || this.#ofControllers.has(client)) return false;
    this.#ofControllers.set(client, request);
    return true;
  }

  /**
   * Most writes are updates by controllers, one after the other. About a removal, the first shows since when, and the last
   * until when and, for an object that was being deleted, which write removed it. So of a run of updates of one object by
   * one program that do not change owners, finalizers or replicas, those between are dropped. Another writer, a creation, a
   * deletion, or the end of the file ends a run: the log of another API server may contain a deletion between.
   */
  #keep(request: AuditedRequest): void {
    const { verb, name } = request;
    if (verb === 'deletecollection') this.#runs = new Map();
    else if (verb === 'create' || verb === 'delete') this.#runsBeside(request)?.delete(name);
    else {
      const runs = this.#runsBeside(request) ?? this.#beginRuns(request);
      const run = runs.get(name);
      const last = run && this.#kept[run.at];
      const continues = last !== undefined && isOfRun(last, request);
      if (run && continues && !run.isFirst) {
        this.#kept[run.at] = request;
        return;
      }
      runs.set(name, { at: this.#kept.length, isFirst: !continues });
    }
    this.#kept.push(request);
  }

  /** By name, of objects of its resource in its namespace. */
  #runsBeside({ resource, namespace }: AuditedRequest): Map<string, Run> | undefined {
    return this.#runs.get(resource)?.get(namespace);
  }

  #beginRuns({ resource, namespace }: AuditedRequest): Map<string, Run> {
    const ofResource = this.#runs.get(resource) ?? new Map<string, Map<string, Run>>();
    const runs = new Map<string, Run>();
    this.#runs.set(resource, ofResource.set(namespace, runs));
    return runs;
  }

  /** Of an object that was removed long before the period no request is needed. */
  #forgetRemoved(): void {
    const { since = Number.NEGATIVE_INFINITY, asksFor = () => false } = this.#scope;
    if (since === Number.NEGATIVE_INFINITY) return;
    const removals = new Map<string, number>();
    for (const request of this.#kept) {
      const { isRemoval, answeredAt } = request;
      if (!isRemoval || answeredAt >= since - longestReach || asksFor(request)) continue;
      const object = placeKey(placeOfRequest(request));
      removals.set(object, Math.max(answeredAt, removals.get(object) ?? answeredAt));
    }
    if (removals.size === 0) return;
    const ofControllers = new Set(this.#ofControllers.values());
    this.#kept = this.#kept.filter((request) => {
      const removedAt = removals.get(placeKey(placeOfRequest(request))) ?? Number.NEGATIVE_INFINITY;
      return request.answeredAt > removedAt || ofControllers.has(request);
    });
  }

  /** Runs of forgotten requests end. */
  #moveRuns(earlier: readonly AuditedRequest[]): void {
    const places = new Map(this.#kept.map((request, at) => [request, at] as const));
    for (const runs of [...this.#runs.values()].flatMap((ofResource) => [...ofResource.values()])) {
      for (const [name, { at, isFirst }] of runs) {
        const last = earlier[at];
        const movedTo = last && places.get(last);
        if (movedTo === undefined) runs.delete(name);
        else runs.set(name, { at: movedTo, isFirst });
      }
    }
  }

  /** In the order in which they were answered, each once. */
  sorted(): AuditedRequest[] {
    this.#forgetRemoved();
    const sorted = this.#kept.sort(compareEvents);
    return sorted.filter((one, at) => {
      const before = sorted[at - 1];
      return before === undefined || compareEvents(before, one) !== 0;
    });
  }
}

/** In the order of time; 0 for one event that is in several files. A client may choose one audit ID for many requests. */
function compareEvents(a: AuditedRequest, b: AuditedRequest): number {
  return (
    a.answeredAt - b.answeredAt ||
    a.receivedAt - b.receivedAt ||
    compareText(a.auditId, b.auditId) ||
    compareText(identityOf(a), identityOf(b))
  );
}

function identityOf({
  verb,
  group,
  resource,
  subresource,
  namespace,
  name,
}: AuditedRequest): string {
  return [verb, group, resource, subresource, namespace, name].join('/');
}

function isOfRun(last: AuditedRequest, next: AuditedRequest): boolean {
  return (
    last.group === next.group &&
    last.user === next.user &&
    last.impersonated === next.impersonated &&
    last.userAgent === next.userAgent &&
    last.subresource === next.subresource &&
    last.isDryRun === next.isDryRun &&
    (last.uid === next.uid || last.uid === undefined || next.uid === undefined) &&
    saysSame(last.body, next.body)
  );
}

function saysSame(one: AuditedBody | undefined, other: AuditedBody | undefined): boolean {
  if (!one && !other) return true;
  return (
    one?.replicas === other?.replicas &&
    one?.isBeingDeleted === other?.isBeingDeleted &&
    one?.finalizers?.join() === other?.finalizers?.join() &&
    one?.owners?.map(({ uid }) => uid).join() === other?.owners?.map(({ uid }) => uid).join()
  );
}

import { compareText } from '../../kube/names.ts';
import { hour } from '../../kube/time.ts';
import type { AuditedBody, AuditedRequest } from '../audited-request.ts';
import { hashOf, isDeletion, placeKey, placeOfRequest } from '../deletions/request-index.ts';
import { controllerClientOf } from '../deletions/requester.ts';
import { copyOf, RequestStore, type StoredRequest } from './request-store.ts';

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

/** So many runs are remembered. */
const mostRuns = 1 << 18;

/** A run in one number above 0: the index of its last request, and whether that is its first one, too. */
function runAt(index: number, isFirst: boolean): number {
  return 2 * (index + 1) + (isFirst ? 1 : 0);
}

function indexOfRun(run: number): number {
  return Math.floor(run / 2) - 1;
}

/** The requests that can be part of an answer: as many as the scope of the question asks for, not as the logs hold. */
export class KeptRequests {
  readonly #scope: LogScope;
  #kept = new RequestStore();
  #mostKept = fewRequests;
  /** Controllers of which a deletion is kept, wherever: it shows that the policy does not leave them out. */
  readonly #controllers = new Set<string>();
  /** Of runs of updates in this file, by the hash of their object: of two with the same one, the later run ends the earlier. */
  readonly #runs = new Uint32Array(mostRuns);

  constructor(scope: LogScope) {
    this.#scope = scope;
  }

  beginFile(): void {
    this.#runs.fill(0);
  }

  add(request: AuditedRequest): void {
    const { until = Number.POSITIVE_INFINITY } = this.#scope;
    if (request.answeredAt > until) return;
    if (!this.#isFirstOfController(request) && !this.#isInNamespace(request)) return;
    this.#keep(request);
    if (this.#kept.length < this.#mostKept) return;
    this.#forgetRemoved();
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
    if (client === undefined || this.#controllers.has(client)) return false;
    this.#controllers.add(copyOf(client));
    return true;
  }

  /**
   * Most writes are updates by controllers, one after the other. About a removal, the first shows since when, and the last
   * until when and, for an object that was being deleted, which write removed it. So of a run of updates of one object by
   * one program that do not change owners, finalizers or replicas, those between are dropped. Another writer, a creation, a
   * deletion, or the end of the file ends a run: the log of another API server may contain a deletion between.
   */
  #keep(request: AuditedRequest): void {
    const { verb } = request;
    if (verb === 'deletecollection') this.#runs.fill(0);
    else {
      const isUpdate = verb === 'update' || verb === 'patch';
      const { resource, namespace, name } = request;
      const at = hashOf([name, namespace, resource]) % mostRuns;
      const run = this.#runs[at] ?? 0;
      const last = isUpdate && run > 0 ? indexOfRun(run) : undefined;
      const continues = last !== undefined && isOfRun(this.#kept.at(last), request);
      if (continues && run % 2 === 0) {
        this.#kept.set(last, request);
        return;
      }
      this.#runs[at] = isUpdate ? runAt(this.#kept.length, !continues) : 0;
    }
    this.#kept.push(request);
  }

  /** Of an object that was removed long before the period no request is needed. Runs of forgotten requests end. */
  #forgetRemoved(): void {
    const { since = Number.NEGATIVE_INFINITY, asksFor = () => false } = this.#scope;
    if (since === Number.NEGATIVE_INFINITY) return;
    const removals = new Map<string, number>();
    const earlier = this.#kept;
    for (const request of earlier.all()) {
      const { isRemoval, answeredAt } = request;
      if (!isRemoval || answeredAt >= since - longestReach || asksFor(request)) continue;
      const object = placeKey(placeOfRequest(request));
      removals.set(object, Math.max(answeredAt, removals.get(object) ?? answeredAt));
    }
    if (removals.size === 0) return;
    this.#kept = new RequestStore();
    this.#controllers.clear();
    const moved = earlier.all().map((request) => {
      const removedAt = removals.get(placeKey(placeOfRequest(request))) ?? Number.NEGATIVE_INFINITY;
      const isNeeded = request.answeredAt > removedAt || this.#isFirstOfController(request);
      return isNeeded ? this.#kept.push(request) : -1;
    });
    for (const [at, run] of this.#runs.entries()) {
      const movedTo = run === 0 ? -1 : (moved[indexOfRun(run)] ?? -1);
      this.#runs[at] = movedTo < 0 ? 0 : runAt(movedTo, run % 2 === 1);
    }
  }

  /** In the order in which they were answered, each once. */
  sorted(): AuditedRequest[] {
    this.#forgetRemoved();
    const all = this.#kept.all();
    const isBehind = (one: AuditedRequest, at: number) => {
      const before = all[at - 1];
      return before === undefined || compareEvents(before, one) < 0;
    };
    return all.every(isBehind) ? all : all.sort(compareEvents).filter(isBehind);
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

function isOfRun(last: StoredRequest, next: AuditedRequest): boolean {
  const isLike =
    last.resource === next.resource &&
    last.namespace === next.namespace &&
    last.group === next.group &&
    last.user === next.user &&
    last.impersonated === next.impersonated &&
    last.userAgent === next.userAgent &&
    last.subresource === next.subresource &&
    last.isDryRun === next.isDryRun &&
    saysSame(last.body, next.body);
  if (!isLike) return false;
  const { name, uid } = last.named();
  return name === next.name && (uid === next.uid || uid === undefined || next.uid === undefined);
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

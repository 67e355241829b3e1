import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import {
  gracePeriodOf,
  isPod,
  isPodTerminal,
  namespaceFinalizer,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';
import type { Task, Timers } from '../engine/clock.ts';
import { type Outcome, WorkQueue } from '../engine/work-queue.ts';
import { namespaceConditions } from './namespace-conditions.ts';

/** Time for API servers to notice that the namespace is going (GC-72). */
export const gracePeriod = 5_000;
const finalizerEstimate = 15;

/**
 * What the namespace controller asks of an API server, simulated or real: its decisions are the
 * same. `W` is what a request waits for.
 */
export interface NamespaceRequests<W = number> {
  get(name: string): Task<ObjectRecord | undefined, W>;
  /**
   * Writes these fields of the status; without any it does nothing. Undefined when nothing was
   * written, as the namespace changed meanwhile: the next pass writes again.
   */
  writeStatus(
    namespace: ObjectRecord,
    facts: ObjectRecord['facts'],
  ): Task<ObjectRecord | undefined, W>;
  /** The kinds that a namespace may hold, and what of discovery failed. */
  discover(): Task<Discovered, W>;
  /** The kinds in the order in which they are deleted. */
  inOrder(types: readonly ResourceType[]): readonly ResourceType[];
  /** Deletes the objects of a kind in a namespace, and returns what remains. */
  deleteAll(type: ResourceType, namespace: ObjectRecord): Task<Remaining, W>;
  /** Takes these finalizers for the namespace's own: with none left, it goes. */
  finalize(
    namespace: ObjectRecord,
    leftOf: (current: ObjectRecord) => readonly string[],
  ): Task<void, W>;
  /** Epoch milliseconds. */
  now(): number;
}

/** The result of discovery. */
export interface Discovered {
  readonly types: readonly ResourceType[];
  readonly errors: string[];
}

/** The objects of a kind in a namespace before their deletion and after it; or why that failed. */
export type Remaining =
  | { readonly before: readonly ObjectRecord[]; readonly after: readonly ObjectRecord[] }
  | { readonly before: readonly ObjectRecord[]; readonly error: string };

/** What a namespace controller works with. */
interface NamespaceDeps<W> {
  readonly requests: NamespaceRequests<W>;
  readonly clock: Timers<W>;
  /** Milliseconds before the next try after so many failures. */
  readonly retry: (failures: number) => number;
  /** Milliseconds from the deletion of a namespace until its content is deleted. */
  readonly gracePeriod: number;
  /** Feature gate OrderedNamespaceDeletion. */
  readonly podsFirst: boolean;
}

/** kube-controller-manager's namespace-controller (GC-70 to GC-77). */
export class NamespaceController<W = number> {
  readonly #queue: WorkQueue<string, W>;
  readonly #gracePeriod: number;

  constructor({ clock, requests, podsFirst, retry, gracePeriod }: NamespaceDeps<W>) {
    this.#gracePeriod = gracePeriod;
    this.#queue = new WorkQueue({
      clock,
      work: (name) => syncNamespace(requests, name, podsFirst),
      retry: (failures) => Math.min(retry(failures), 60_000),
    });
  }

  observe({ name, deletionTimestamp }: ObjectRecord): void {
    if (deletionTimestamp !== undefined) this.#queue.addAfter(name, this.#gracePeriod);
  }
}

/** Mirrors namespacedResourcesDeleter.Delete, pkg/controller/namespace/deletion. */
function* syncNamespace<W>(
  requests: NamespaceRequests<W>,
  name: string,
  podsFirst: boolean,
): Task<Outcome, W> {
  const found = yield* requests.get(name);
  if (found?.deletionTimestamp === undefined) return 'forget';
  let namespace = found;
  if (namespace.facts?.phase !== 'Terminating') {
    namespace = (yield* requests.writeStatus(namespace, { phase: 'Terminating' })) ?? namespace;
  }
  if (specFinalizersOf(namespace).length === 0) return 'forget';
  const content = yield* deleteAllContent(requests, namespace, podsFirst);
  if (content !== 'forget') return content;
  yield* requests.finalize(namespace, (current) =>
    specFinalizersOf(current).filter((entry) => entry !== namespaceFinalizer),
  );
  return 'forget';
}

/** With `podsFirst`, nothing else is touched while a pod is left (GC-72). */
function* deleteAllContent<W>(
  requests: NamespaceRequests<W>,
  namespace: ObjectRecord,
  podsFirst: boolean,
): Task<Outcome, W> {
  const isPods = (type: ResourceType) => type.group === '' && type.resource === 'pods';
  const { types, errors } = yield* requests.discover();
  const findings = {
    discoveryErrors: errors,
    contentErrors: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
  };
  let estimate = 0;
  let waitsForPods = false;
  const visit = function* (type: ResourceType): Task<number, W> {
    const remaining = yield* requests.deleteAll(type, namespace);
    const left = leftoverOf(type, namespace, remaining, requests.now());
    estimate = Math.max(estimate, left.estimate);
    if (left.error !== undefined) findings.contentErrors.push(left.error);
    if (left.records.length === 0) return 0;
    waitsForPods ||=
      isPods(type) && left.records.every(({ finalizers }) => finalizers.length === 0);
    findings.remaining.set(`${type.resource}.${type.group}`, left.records.length);
    for (const finalizer of left.records.flatMap(({ finalizers }) => finalizers)) {
      findings.finalizers.set(finalizer, (findings.finalizers.get(finalizer) ?? 0) + 1);
    }
    return left.records.length;
  };
  const pods = podsFirst ? types.find(isPods) : undefined;
  if (pods && (yield* visit(pods)) > 0) {
    // The totals are not processed on this path, so the conditions claim that nothing remains.
    const none = new Map<string, number>();
    yield* writeConditions(requests, namespace, { ...findings, remaining: none, finalizers: none });
  } else {
    for (const type of requests.inOrder(types)) if (type !== pods) yield* visit(type);
    yield* writeConditions(requests, namespace, findings);
  }
  if (findings.contentErrors.length > 0 || findings.discoveryErrors.length > 0) {
    return 'requeue';
  }
  if (estimate === 0) return 'forget';
  return { after: (Math.floor(estimate / 2) + 1) * 1000, isWaiting: !waitsForPods };
}

interface RemainingObjects {
  readonly estimate: number;
  readonly records: readonly ObjectRecord[];
  readonly error: string | undefined;
}

/** Mirrors deleteAllContentForGroupVersionResource: what was deleted, counted by what stays. */
function leftoverOf(
  type: ResourceType,
  { name, deletionTimestamp = '' }: ObjectRecord,
  remaining: Remaining,
  now: number,
): RemainingObjects {
  const grace = gracefulEstimate(remaining.before, now - Date.parse(deletionTimestamp));
  if ('error' in remaining) return { estimate: grace, records: [], error: remaining.error };
  const records = remaining.after;
  if (records.length === 0) return { estimate: 0, records, error: undefined };
  if (grace > 0) return { estimate: grace, records, error: undefined };
  if (records.some(({ finalizers }) => finalizers.length > 0)) {
    return { estimate: finalizerEstimate, records, error: undefined };
  }
  const resource = `${type.group}/${type.version}, Resource=${type.resource}`;
  const error = `unexpected items still remain in namespace: ${name} for gvr: ${resource}`;
  return { estimate: 0, records, error };
}

/** The longest grace period of pods that still run, until that much time has passed (GC-73). */
function gracefulEstimate(records: readonly ObjectRecord[], elapsed: number): number {
  let seconds = 0;
  for (const record of records) {
    if (!isPod(record)) return 0;
    if (isPodTerminal(record)) continue;
    seconds = Math.max(seconds, gracePeriodOf(record));
  }
  return elapsed >= seconds * 1000 ? 0 : seconds;
}

function* writeConditions<W>(
  requests: NamespaceRequests<W>,
  namespace: ObjectRecord,
  findings: Parameters<typeof namespaceConditions>[1],
): Task<void, W> {
  const before = namespace.facts?.conditions ?? [];
  const conditions = namespaceConditions(before, findings, timestampOf(requests.now()));
  yield* requests.writeStatus(namespace, conditions === before ? undefined : { conditions });
}

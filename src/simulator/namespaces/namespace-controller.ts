import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import {
  gracePeriodOf,
  isNamespace,
  isPod,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';
import { updateObject } from '../api-server/api-server.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import { namespaceOf } from '../garbage-collector/invalid-namespace-events.ts';
import { namespaceConditions } from './namespace-conditions.ts';

/** Time for API servers to notice that the namespace is going (GC-72). */
const gracePeriod = 5_000;
const finalizerEstimate = 15;
const ownFinalizer = 'kubernetes';

/** What a pass leads to: done for now, another look after some seconds, or an error. */
type Outcome =
  | { readonly kind: 'forget' }
  | { readonly kind: 'remaining'; readonly seconds: number; readonly waitsForPods: boolean }
  | { readonly kind: 'error' };

interface Queued {
  processing: boolean;
  dirty: boolean;
  failures: number;
  /** Clock time of the earliest look that is planned. */
  next: number | undefined;
}

/** kube-controller-manager's namespace-controller (GC-70 to GC-77). */
export class NamespaceController {
  readonly #context: RunContext;
  readonly #podsFirst: boolean;
  readonly #queue = new Map<string, Queued>();

  /** `podsFirst`: feature gate OrderedNamespaceDeletion. */
  constructor(context: RunContext, podsFirst: boolean) {
    this.#context = context;
    this.#podsFirst = podsFirst;
  }

  start(): void {
    const { state, clock, schedule } = this.#context;
    for (const record of state.ofResource('namespaces')) this.#observe(record);
    state.watch(({ after }) => {
      if (after && isNamespace(after)) clock.after(schedule.watch(), () => this.#observe(after));
    });
  }

  #observe({ name, deletionTimestamp }: ObjectRecord): void {
    if (deletionTimestamp !== undefined) this.#addAfter(name, gracePeriod, 'active');
  }

  #addAfter(name: string, delay: number, kind: 'active' | 'retry'): void {
    const { clock } = this.#context;
    let queued = this.#queue.get(name);
    if (!queued) {
      queued = { processing: false, dirty: false, failures: 0, next: undefined };
      this.#queue.set(name, queued);
    }
    const item = queued;
    const at = clock.now + delay;
    if (item.next !== undefined && item.next <= at) return;
    item.next = at;
    const look = () => {
      if (item.next !== at) return;
      item.next = undefined;
      if (item.processing) item.dirty = true;
      else this.#process(name, item);
    };
    if (kind === 'active') clock.after(delay, look);
    else clock.retryAfter(delay, look);
  }

  #process(name: string, item: Queued): void {
    const { clock, schedule } = this.#context;
    item.processing = true;
    clock.start(syncNamespace(this.#context, name, this.#podsFirst), (outcome) => {
      item.processing = false;
      if (outcome.kind === 'error') {
        this.#addAfter(name, Math.min(schedule.retry(item.failures++), 60_000), 'retry');
      } else item.failures = 0;
      if (outcome.kind === 'remaining') {
        const kind = outcome.waitsForPods ? 'active' : 'retry';
        this.#addAfter(name, (Math.floor(outcome.seconds / 2) + 1) * 1000, kind);
      }
      if (!item.dirty) return;
      item.dirty = false;
      this.#process(name, item);
    });
  }
}

/** Mirrors namespacedResourcesDeleter.Delete, pkg/controller/namespace/deletion. */
function* syncNamespace(context: RunContext, name: string, podsFirst: boolean): Task<Outcome> {
  const { schedule } = context;
  yield schedule.request();
  const found = namespaceOf(context, name);
  if (found?.deletionTimestamp === undefined) return { kind: 'forget' };
  let namespace = found;
  if (namespace.facts?.phase !== 'Terminating') {
    yield schedule.request();
    namespace = writeStatus(context, namespace, { phase: 'Terminating' }) ?? namespace;
  }
  if (specFinalizersOf(namespace).length === 0) return { kind: 'forget' };
  const content = yield* deleteAllContent(context, namespace, podsFirst);
  if (content.kind !== 'forget') return content;
  yield schedule.request();
  const current = namespaceOf(context, name);
  if (current?.uid !== namespace.uid) return { kind: 'forget' };
  const left = specFinalizersOf(current).filter((entry) => entry !== ownFinalizer);
  const wanted = { ...current, facts: { ...current.facts, specFinalizers: left } };
  const written = updateObject(context, current, wanted);
  context.timeline.note('namespace-controller', 'finalize', current, written.result, () => ({
    because: 'nothing is left in the namespace',
    rule: 'GC-71',
  }));
  return { kind: 'forget' };
}

/** With `podsFirst`, nothing else is touched while a pod is left (GC-72). */
function* deleteAllContent(
  context: RunContext,
  namespace: ObjectRecord,
  podsFirst: boolean,
): Task<Outcome> {
  const { state, schedule } = context;
  const types = state.types
    .preferred()
    .filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'));
  const isPods = (type: ResourceType) => type.group === '' && type.resource === 'pods';
  const findings = {
    discoveryErrors: state.types.failed.map(({ message }) => message),
    contentErrors: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
  };
  let estimate = 0;
  let waitsForPods = false;
  yield schedule.request();
  const visit = function* (type: ResourceType): Task<number> {
    if (state.isEmpty(type, namespace.name)) {
      // DELETECOLLECTION and LIST find nothing, unless something is created meanwhile.
      yield schedule.request() + schedule.request();
      if (state.isEmpty(type, namespace.name)) return 0;
    }
    const left = yield* deleteAllOf(context, type, namespace);
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
    yield schedule.request();
    writeConditions(context, namespace, { ...findings, remaining: none, finalizers: none });
  } else {
    for (const type of schedule.shuffle(types)) if (type !== pods) yield* visit(type);
    yield schedule.request();
    writeConditions(context, namespace, findings);
  }
  if (findings.contentErrors.length > 0 || findings.discoveryErrors.length > 0) {
    return { kind: 'error' };
  }
  return estimate > 0 ? { kind: 'remaining', seconds: estimate, waitsForPods } : { kind: 'forget' };
}

interface Leftover {
  readonly estimate: number;
  readonly records: readonly ObjectRecord[];
  readonly error: string | undefined;
}

/** Mirrors deleteAllContentForGroupVersionResource: DELETE what is there, then count what stays. */
function* deleteAllOf(
  context: RunContext,
  type: ResourceType,
  { name, deletionTimestamp = '' }: ObjectRecord,
): Task<Leftover> {
  const { state, schedule, timeline } = context;
  const before = state.list(type, name);
  const grace = gracefulEstimate(before, context.now() - Date.parse(deletionTimestamp));
  yield schedule.request();
  for (const listed of byName(state.list(type, name))) {
    yield schedule.request();
    const record = state.current(listed);
    if (!record) continue;
    const { result, reply } = deleteObject(context, record, { propagationPolicy: 'Background' });
    if (result === 'refused') {
      return { estimate: grace, records: [], error: reply.message ?? reply.reason };
    }
    if (result === 'unchanged') continue;
    timeline.note('namespace-controller', 'delete', record, result, () => ({
      because: `namespace ${name} is being deleted`,
      rule: 'GC-72',
      policy: 'Background',
    }));
  }
  yield schedule.request();
  const records = state.list(type, name);
  if (records.length === 0) return { estimate: 0, records, error: undefined };
  if (grace > 0) return { estimate: grace, records, error: undefined };
  if (records.some(({ finalizers }) => finalizers.length > 0)) {
    return { estimate: finalizerEstimate, records, error: undefined };
  }
  const resource = `${type.group}/${type.version}, Resource=${type.resource}`;
  const error = `unexpected items still remain in namespace: ${name} for gvr: ${resource}`;
  return { estimate: 0, records, error };
}

/** DELETECOLLECTION takes one object after the other as etcd lists them. */
function byName(records: readonly ObjectRecord[]): ObjectRecord[] {
  return [...records].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The longest grace period of pods that still run, until that much time has passed (GC-73). */
function gracefulEstimate(records: readonly ObjectRecord[], elapsed: number): number {
  let seconds = 0;
  for (const record of records) {
    if (!isPod(record)) return 0;
    const phase = record.facts?.phase;
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    seconds = Math.max(seconds, gracePeriodOf(record));
  }
  return elapsed >= seconds * 1000 ? 0 : seconds;
}

function writeConditions(
  context: RunContext,
  namespace: ObjectRecord,
  findings: Parameters<typeof namespaceConditions>[1],
): void {
  const before = namespace.facts?.conditions ?? [];
  const conditions = namespaceConditions(before, findings, timestampOf(context.now()));
  if (conditions !== before) writeStatus(context, namespace, { conditions });
}

/** Undefined when the namespace changed meanwhile; the next pass writes again. */
function writeStatus(
  context: RunContext,
  namespace: ObjectRecord,
  facts: ObjectRecord['facts'],
): ObjectRecord | undefined {
  if (context.state.current(namespace) !== namespace) return undefined;
  const wanted = { ...namespace, facts: { ...namespace.facts, ...facts } };
  return updateObject(context, namespace, wanted).after;
}

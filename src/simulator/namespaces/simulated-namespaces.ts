import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { updateObject } from '../api-server/api-server.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import { namespaceOf } from '../garbage-collector/invalid-namespace-events.ts';
import { deletesPodsFirst } from '../simulation-input.ts';
import {
  type Discovered,
  gracePeriod,
  NamespaceController,
  type NamespaceRequests,
  type Remaining,
} from './namespace-controller.ts';

/** Runs the namespace controller on the simulated API server. */
export function startNamespaceController(context: RunContext, podsFirst: boolean): void {
  const { state, clock, schedule } = context;
  const controller = new NamespaceController({
    requests: new SimulatedNamespaceRequests(context),
    clock,
    retry: (failures) => schedule.retry(failures),
    gracePeriod,
    podsFirst,
  });
  for (const record of state.ofResource('namespaces')) controller.observe(record);
  state.watch(({ after }) => {
    if (after) clock.after(schedule.watch(), () => controller.observe(after));
  }, 'namespaces');
}

/** A class for the reason that `SimulatedRequests` is one. */
class SimulatedNamespaceRequests implements NamespaceRequests {
  readonly #context: RunContext;

  constructor(context: RunContext) {
    this.#context = context;
  }

  *get(name: string): Task<ObjectRecord | undefined> {
    yield this.#context.schedule.request();
    return namespaceOf(this.#context, name);
  }

  *writeStatus(
    namespace: ObjectRecord,
    facts: ObjectRecord['facts'],
  ): Task<ObjectRecord | undefined> {
    const { state, schedule } = this.#context;
    yield schedule.request();
    if (facts === undefined || state.current(namespace) !== namespace) return undefined;
    const wanted = { ...namespace, facts: { ...namespace.facts, ...facts } };
    return updateObject(this.#context, namespace, wanted).after;
  }

  *discover(): Task<Discovered> {
    const { state, schedule } = this.#context;
    yield schedule.request();
    const types = state.types
      .preferred()
      .filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'));
    return { types, errors: state.types.failed.map(({ message }) => message) };
  }

  inOrder(types: readonly ResourceType[]): readonly ResourceType[] {
    return this.#context.schedule.shuffle(types);
  }

  *deleteAll(type: ResourceType, { name }: ObjectRecord): Task<Remaining> {
    const { state, schedule, timeline } = this.#context;
    if (state.isEmpty(type, name)) {
      // DELETECOLLECTION and LIST find nothing, unless something is created meanwhile.
      yield schedule.request() + schedule.request();
      if (state.isEmpty(type, name)) return { before: [], after: [] };
    }
    const before = state.list(type, name);
    const pods = state.types.find('v1', 'Pod');
    if (pods && type.kind !== pods.kind && deletesPodsFirst(this.#context.minor))
      state.causes.alsoFollows({ type: pods, namespace: name });
    yield schedule.request();
    for (const listed of byName(state.list(type, name))) {
      yield schedule.request();
      const record = state.current(listed);
      if (!record) continue;
      const { result, reply } = deleteObject(this.#context, record, {
        propagationPolicy: 'Background',
      });
      if (result === 'refused') return { before, error: reply.message ?? reply.reason };
      if (result === 'unchanged') continue;
      timeline.note('namespace-controller', 'delete', record, result, () => ({
        because: namespaceEnds(name),
        rule: 'GC-72',
        policy: 'Background',
      }));
    }
    yield schedule.request();
    return { before, after: state.list(type, name) };
  }

  *finalize(
    namespace: ObjectRecord,
    leftOf: (current: ObjectRecord) => readonly string[],
  ): Task<void> {
    yield this.#context.schedule.request();
    const current = namespaceOf(this.#context, namespace.name);
    if (current?.uid !== namespace.uid) return;
    this.#context.state.causes.alsoFollows({ namespace: namespace.name });
    const facts = { ...current.facts, specFinalizers: leftOf(current) };
    const wanted = { ...current, facts };
    const written = updateObject(this.#context, current, wanted);
    this.#context.timeline.note(
      'namespace-controller',
      'finalize',
      current,
      written.result,
      () => ({ because: 'it is removed once it is empty', rule: 'GC-71' }),
    );
  }

  now(): number {
    return this.#context.now();
  }
}

export function namespaceEnds(name: string): string {
  return `namespace ${name} is being deleted`;
}

/** DELETECOLLECTION takes one object after the other as etcd lists them. */
function byName(records: readonly ObjectRecord[]): ObjectRecord[] {
  return [...records].sort((a, b) => (a.name < b.name ? -1 : 1));
}

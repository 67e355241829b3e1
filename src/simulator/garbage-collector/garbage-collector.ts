import type { Change } from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import {
  apiVersionOf,
  groupResourceOf,
  isMonitored,
  type ResourceType,
} from '../../kube/resource-type.ts';
import { type IsFound, ownersAmong } from '../../snapshot/graph/owners.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { ReadCoverage } from '../simulation-input.ts';
import { InvalidNamespaceEvents } from './invalid-namespace-events.ts';
import { ListedFamilies } from './listed-families.ts';
import { OwnerLookup } from './owner-lookup.ts';
import type { OwnershipGraph } from './ownership-graph.ts';
import { type OwnershipNode, partitionDependents } from './ownership-node.ts';
import { SimulatedRequests } from './simulated-requests.ts';
import { Workers } from './workers.ts';

/** How long the REST mapper goes on knowing a kind that is no longer served (GC-80). */
const discoveryInterval = 30_000;

/** kube-controller-manager's garbage-collector-controller, from its start. */
export class GarbageCollector {
  readonly graph: OwnershipGraph;
  readonly lookup: OwnerLookup;
  readonly events: InvalidNamespaceEvents;
  /** By the uid of an object that could not be judged: what could not be read of its owners. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly #context: RunContext;
  readonly #workers: Workers;
  readonly #monitored = new Map<ResourceType, ResourceType | undefined>();
  readonly #lastDelivery = new Map<string, number>();
  readonly #described = new Map<OwnershipNode, boolean>();
  /** Owners of which the input says nothing. */
  readonly #unread = new Set<OwnershipNode>();

  constructor(context: RunContext, known: ReadCoverage) {
    this.#context = context;
    const { state, clock, schedule, timeline } = context;
    this.events = new InvalidNamespaceEvents(context);
    this.lookup = new OwnerLookup(state, known, (uid) => this.graph.node(uid)?.isObserved ?? false);
    this.#workers = new Workers({
      requests: new SimulatedRequests(context, this.lookup),
      clock,
      causes: state.causes,
      timing: schedule,
      timeline,
      noteChange: () => state.changes++,
      awaitNews: (owner) => this.#unread.add(owner),
      identityOf: (record) => this.#identityOf(record),
      invalidNamespace: (dependent, uid) => this.events.report(dependent, uid),
    });
    this.graph = this.#workers.graph;
    this.unknown = this.#workers.unknown;
  }

  /** Lists everything, then starts its workers and watches. */
  start(): void {
    const { schedule, state } = this.#context;
    this.lookup.types = state.types;
    if (schedule.canonical) this.#fill();
    else this.#fillOneByOne();
    this.#workers.start();
    state.watch((change) => this.#deliver(change));
  }

  /** Discovery says that kinds went; the garbage collector's mapper learns it at its next look. */
  dropTypes(): void {
    this.#context.clock.after(discoveryInterval, () => {
      this.lookup.types = this.#context.state.types;
      this.#context.state.changes++;
      this.#askAgain(() => true);
    });
  }

  /**
   * The graph as it is once all is listed, built so that every owner is known before its
   * dependents. Only nodes of families are made in which there is something to do: the others come
   * when they are first asked for.
   */
  #fill(): void {
    const { state } = this.#context;
    const listed = this.#listed();
    // Before anything is written, all is as it was at the beginning.
    const owners = state.isAsAtFirst ? state.first : ownersAmong(listed);
    const families = new ListedFamilies(listed, owners, (record) => this.#lists(record));
    const inserted = families.takeUnsettled(this.#isFound);
    const nodes = inserted.map((record) => this.graph.insert(record));
    for (const node of nodes) this.graph.linkAll(node);
    for (const record of inserted) this.graph.startTransitions(undefined, record);
    for (const node of nodes) this.#expectEvents(node);
    this.graph.listed = families;
  }

  /** Where an owner is what the reference says, the graph has nothing to look at. */
  readonly #isFound: IsFound = ({ apiVersion, kind, name }, { namespace }, owner) => {
    if (owner.namespace !== '' && owner.namespace !== namespace) return false;
    const type = this.#monitoredType(owner.type);
    if (type?.kind !== kind || owner.name !== name) return false;
    return apiVersionOf(type) === apiVersion;
  };

  /**
   * Every reference across namespaces leads to an event in some order of listing. It does so in
   * every order if it is its dependent's first reference and no other dependent describes the owner
   * as it is (GC-47).
   */
  #expectEvents(node: OwnershipNode): void {
    node.owners.forEach(({ uid }, index) => {
      const owner = this.graph.node(uid);
      const namespace = owner?.isObserved ? owner.identity.namespace : '';
      if (!owner || namespace === '' || namespace === node.identity.namespace) return;
      this.events.expect(node, uid, index === 0 && !this.#isDescribed(owner));
    });
  }

  /** Does a dependent refer to this owner by exactly its coordinates? */
  #isDescribed(owner: OwnershipNode): boolean {
    let described = this.#described.get(owner);
    if (described === undefined) {
      const { matching } = partitionDependents(owner.dependents ?? [], owner.identity);
      described = matching.some((dependent) => dependent !== owner);
      this.#described.set(owner, described);
    }
    return described;
  }

  /** Informers deliver what they list in no particular order (GC-17a). */
  #fillOneByOne(): void {
    const { schedule } = this.#context;
    for (const record of schedule.listOrder(this.#listed())) this.graph.observe(undefined, record);
  }

  #listed(): ObjectRecord[] {
    return this.#context.state.all().filter((record) => this.#lists(record));
  }

  #lists({ uid, type }: ObjectRecord): boolean {
    return uid !== '' && this.#monitors(type);
  }

  #monitors(type: ResourceType): boolean {
    return this.#monitoredType(type) !== undefined;
  }

  /** The version of a resource that the garbage collector watches (GC-4, GC-8). */
  #monitoredType(type: ResourceType): ResourceType | undefined {
    const known = this.#monitored.get(type);
    if (known || this.#monitored.has(type)) return known;
    const preferred = this.#context.state.types.versions(groupResourceOf(type))[0] ?? type;
    const monitored = isMonitored(preferred) ? preferred : undefined;
    this.#monitored.set(type, monitored);
    return monitored;
  }

  #identityOf(record: ObjectRecord): ObjectReference {
    const { namespace, name, uid } = record;
    const type = this.#monitoredType(record.type) ?? record.type;
    return { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, uid };
  }

  /** Events of one resource arrive in order, those of different resources do not wait for each other. */
  #deliver({ before, after }: Change): void {
    const record = after ?? before;
    if (!record) return;
    // Another object in the place of an owner, or another dependent.
    const isNews = after ? hasOtherOwners(after, before) : record.uid === '';
    if (!this.#lists(record)) {
      if (isNews) this.#askAbout(record);
      return;
    }
    const { clock, schedule, state } = this.#context;
    const resource = groupResourceOf(record.type);
    const earliest = this.#lastDelivery.get(resource) ?? 0;
    const at = Math.max(earliest, clock.now + schedule.watch());
    this.#lastDelivery.set(resource, at);
    clock.after(at - clock.now, () => {
      state.changes++;
      if (after) this.graph.observe(before, after);
      else this.graph.forget(record);
      if (isNews) this.#askAbout(record);
    });
  }

  /** Asks again for unread owners of its name, and for those that it refers to. */
  #askAbout({ name, ownerReferences }: ObjectRecord): void {
    const owners = new Set(ownerReferences.map(({ uid }) => uid));
    this.#askAgain(({ identity }) => identity.name === name || owners.has(identity.uid));
  }

  /** Nothing that happens to other objects can answer whether an owner that was not read exists. */
  #askAgain(isAbout: (owner: OwnershipNode) => boolean): void {
    for (const owner of this.#unread) {
      if (!isAbout(owner)) continue;
      this.#unread.delete(owner);
      this.#workers.queue(owner);
    }
  }
}

/** Is it new, or does it refer to an owner that it did not refer to before? */
function hasOtherOwners(after: ObjectRecord, before: ObjectRecord | undefined): boolean {
  if (!before || before.ownerReferences === after.ownerReferences) return !before;
  const known = new Set(before.ownerReferences.map(({ uid }) => uid));
  return after.ownerReferences.some(({ uid }) => !known.has(uid));
}

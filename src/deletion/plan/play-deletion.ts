import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { defaultSimulationSettings } from '../../controllers/settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
} from '../../controllers/settings/enabled-controllers.ts';
import { type Deliveries, deletedWith, deliveriesAmong } from '../../delivery/deliveries.ts';
import { inventoryOf } from '../../delivery/tools.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { hour, minute } from '../../kube/time.ts';
import { gracePeriodOf, isNamespace, isNode, isPod } from '../../kube/well-known-kinds.ts';
import type { DeleteOptions, SimulatedRequest } from '../../simulator/api-server/request.ts';
import { silentNodesAmong } from '../../simulator/controllers/kubelet.ts';
import { asBackdrop } from '../../simulator/engine/backdrop.ts';
import { reachOf } from '../../simulator/reach.ts';
import {
  type BegunSimulation,
  beginSimulation,
  type Simulation,
} from '../../simulator/simulate.ts';
import { inContentOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { mayAdopt, withLateDeletions, withOtherEnds, withWhatMayFollow } from './left-open.ts';
import { partOf } from './part-of-snapshot.ts';
import { plainContentOf } from './plain-content.ts';
import type { DeletionIntent, PlanContext, PlannedRequest } from './plan.ts';
import { targetStateOf } from './plan-difference.ts';
import { type ProvenRefusal, provenRefusals } from './proven-refusals.ts';
import { type TouchedObject, takenAlong, touchedObjects } from './touched-objects.ts';
import {
  blockingFinalizers,
  type Confirmed,
  finalizerGroups,
  isOfDependents,
  isReleasedLate,
  type Released,
  withoutFinalizers,
} from './waits.ts';

/** A deletion, played; and the same time without it. */
export interface PlayedDeletion {
  readonly requests: readonly PlannedRequest[];
  /** Targets that are not asked for, by uid: the words in which the API server refuses. */
  readonly refused: ReadonlyMap<string, string>;
  /** Keys of the objects that were named, in that order. */
  readonly targets: ReadonlySet<string>;
  readonly with: Simulation;
  /** The same deletion with all blockers of deleted objects removed; `with` if there are none. */
  readonly then: Simulation;
  /** The finalizers that are removed in `then` only, by the object's key. */
  readonly removed: Released;
  /** The pods whose end is confirmed in `then` only: their silent Nodes, by the pod's key. */
  readonly confirmed: Confirmed;
  /** What delivery tools delete in `then` only, before they remove their finalizers, by the object's key. */
  readonly delivered: ReadonlyMap<string, ToolDeletion>;
  readonly deliveries: Deliveries;
  readonly without: Simulation;
  /** What the deletion can touch, and by what that is judged, by content. */
  readonly records: readonly ObjectRecord[];
  /** The objects among these that are deleted with their namespace, and were not played. */
  readonly content: ReadonlySet<ObjectRecord>;
  /** The rest of `snapshot`, which stays as it is. */
  readonly others: readonly ObjectRecord[];
  /** Whose deletion the API server refuses to every client. */
  readonly proven: ReadonlyMap<string, ProvenRefusal>;
  /** What of the snapshot counts for the plan. */
  readonly snapshot: Snapshot;
  readonly touched: readonly TouchedObject[];
  readonly isEnabled: EnabledControllers;
}

/** What a play takes for done that nothing in it does. */
interface LetGo {
  readonly removed: Map<string, readonly string[]>;
  readonly confirmed: Map<string, ObjectRecord>;
  readonly delivered: Map<string, ToolDeletion>;
  /** Of the pods that are confirmed. */
  readonly uids: Set<string>;
}

/** An object that a delivery tool deletes when its own object is deleted. */
export interface ToolDeletion {
  readonly record: ObjectRecord;
  /** The object of the tool. */
  readonly tool: ObjectRecord;
  readonly policy: PropagationPolicy;
  /** Only after that object was removed, not while it waits for a finalizer. */
  readonly isLate: boolean;
}

type Part = Pick<PlayedDeletion, 'snapshot' | 'records' | 'content' | 'others' | 'proven'>;

/** Plays requests for the targets. `before`: what was played for other requests for the same targets. */
export function playDeletion(
  whole: Snapshot,
  intent: DeletionIntent,
  context: PlanContext,
  before?: PlayedDeletion,
): PlayedDeletion {
  const part = before ?? parted(whole, intent, context);
  const played = playPart(part, intent, context, before);
  const isTakenAlong = takenAlong(played.requests, played.with);
  if ([...part.content].every(isTakenAlong)) return played;
  return playPart({ ...part, content: new Set() }, intent, context);
}

/** What one of the plays takes for given. */
interface Assumed {
  /** These are deleted when everything else is over. */
  readonly doubtful?: readonly ObjectRecord[];
  readonly released?: Released;
  /** The records that are played on. */
  readonly from?: readonly ObjectRecord[];
  /** Milliseconds between two requests. */
  readonly pause?: number;
}

/** Plays what is not `content`. */
function playPart(
  { snapshot, records: all, content, others, proven }: Part,
  intent: DeletionIntent,
  { now, settings, inUsualOrders }: PlanContext,
  before?: PlayedDeletion,
): PlayedDeletion {
  const records = content.size === 0 ? all : all.filter((record) => !content.has(record));
  const longest = longestGrace(all, intent);
  const duration = hour + 2 * longest;
  const isEnabled = enabledControllers(
    settings.controllers ?? defaultSimulationSettings.controllers,
  );
  const about = new Set(intent.targets.map(({ uid }) => uid));
  const words = new Map([...proven].map(([uid, { because }]) => [uid, because]));
  const deliveries = deliveriesAmong(snapshot.records);
  const letGo: LetGo = {
    removed: new Map(),
    confirmed: new Map(),
    delivered: new Map(),
    uids: new Set(),
  };
  const { removed, confirmed, delivered, uids } = letGo;
  // An object that is removed may release others: a Pod its claim, and the claim its volume.
  const begin = (
    asked: readonly PlannedRequest[],
    { doubtful = [], released = new Map(), from = records, pause = 0 }: Assumed = {},
  ): BegunSimulation => {
    const applied = [...delivered.values()];
    const sent = [
      ...asked.map((request, index) =>
        deletionOf(request, optionsOf(request), index === 0 ? 0 : pause),
      ),
      ...applied.map(({ record, policy }) =>
        deletionOf(referenceTo(record), { propagationPolicy: policy }),
      ),
      ...lateRemovals(records, removed, longest + minute),
      ...afterAll(doubtful, longest + minute),
    ];
    const clock = {
      now,
      duration,
      about: new Set([...about, ...applied.map(({ record }) => record.uid)]),
      confirmed: uids,
      refused: words,
      onlyRead: true,
    };
    const reach = withoutFinalizers(withoutFinalizers(from, removed), released);
    return beginSimulation(snapshot, sent, settings, { ...clock, reach });
  };
  const named = targetRequests(intent);
  const targets = new Set(named.map(objectKey));
  const refused = new Map([...words, ...(intent.refused ?? [])]);
  const requests = named.filter(({ uid }) => !refused.has(uid));
  // A rare order matters for what is asked for, not for what it is compared with.
  const unevicted = () => withoutEvictions(records, intent.targets.filter(isNode));
  const without = before?.without ?? begin([], { from: unevicted() }).inUsualOrders();
  // Objects that a tool deletes after its own object wait for no finalizer.
  const late = records.filter(deletesLater);
  const play = (): Simulation => {
    for (;;) {
      const begun = begin(requests);
      const played = inUsualOrders ? begun.inUsualOrders() : begun.inAllOrders();
      const left = new Set(played.objects.map(({ uid }) => uid));
      const known = delivered.size;
      for (const tool of late) if (!left.has(tool.uid)) deliver(letGo, tool, deliveries);
      if (delivered.size === known) return played;
    }
  };
  const dueLate = (played: Simulation) => withLateDeletions(played, without, now + duration);
  const withFollowers = (played: Simulation, pause = 0): Simulation =>
    withWhatMayFollow(dueLate(played), without, (doubtful, released) =>
      dueLate(begin(requests, { doubtful, released, pause }).inOneOrder()),
    );
  const withPauses = (): Simulation => {
    const pause = Math.min(minute, hour / requests.length);
    return withFollowers(begin(requests, { pause }).inOneOrder(), pause);
  };
  const direct = withFollowers(play());
  const played = mayAdopt(intent) ? withOtherEnds(direct, withPauses()) : direct;
  let then = played;
  const touchedBy = () => touchedObjects(records, { with: played, then, without }, targets);
  // An object that was blocked may release others, which may be blocked themselves.
  let begun: BegunSimulation | undefined;
  let touched = touchedBy();
  // A namespace or definition stays while it contains an object whose deletion is refused.
  const containers = new Set(
    records.flatMap(({ uid, namespace, type }) =>
      proven.has(uid)
        ? [`Namespace ${namespace}`, `CustomResourceDefinition ${groupResourceOf(type)}`]
        : [],
    ),
  );
  const releasable = () =>
    touched.filter(({ record }) => !containers.has(`${record.type.kind} ${record.name}`));
  while (finalizerGroups.some((isOf) => letMoreGo(letGo, releasable(), then, deliveries, isOf))) {
    begun = begin(requests);
    then = begun.inOneOrder();
    touched = touchedBy();
  }
  if (begun) {
    then = withFollowers(begun.inUsualOrders());
    touched = touchedBy();
  }
  return {
    requests,
    refused,
    targets,
    with: played,
    then,
    removed,
    confirmed,
    delivered,
    deliveries,
    without,
    records: all,
    content,
    others,
    proven,
    snapshot,
    touched: withContent(touched, content, all),
    isEnabled,
  };
}

/** These, and the unplayed content that is deleted with a namespace among them, in the order of the records. */
function withContent(
  touched: readonly TouchedObject[],
  content: ReadonlySet<ObjectRecord>,
  records: readonly ObjectRecord[],
): readonly TouchedObject[] {
  if (content.size === 0) return touched;
  const homes = new Map<string, TouchedObject>();
  const known = new Map<ObjectRecord, TouchedObject>();
  for (const object of touched) {
    known.set(object.record, object);
    if (object.isTarget && isNamespace(object.record)) homes.set(object.record.name, object);
  }
  const alongWith = (record: ObjectRecord): TouchedObject => ({
    key: objectKey(record),
    identity: referenceTo(record),
    record,
    end: undefined,
    last: undefined,
    otherwise: record,
    isTarget: false,
    home: homes.get(record.namespace),
  });
  return records.flatMap((record) =>
    content.has(record) ? alongWith(record) : (known.get(record) ?? []),
  );
}

function parted(whole: Snapshot, intent: DeletionIntent, context: PlanContext): Part {
  const settings = { ...defaultSimulationSettings, ...context.settings };
  const reach = context.reach ?? reachOf(whole, intent.targets, settings);
  if (!reach) {
    const records = inContentOrder(whole.records);
    const proven = provenRefusals(whole);
    return { snapshot: whole, records, content: new Set(), others: [], proven };
  }
  const snapshot = partOf(whole, reach);
  const { members, backdrop } = reach;
  const played = new Set([...members, ...backdrop]);
  const refused = provenRefusals(whole);
  const isRefused = ({ uid }: ObjectRecord) => refused.has(uid);
  const content = plainContentOf(reach, intent.targets, whole.types, isRefused);
  return {
    snapshot,
    records: [...inContentOrder(members), ...inContentOrder(backdrop).map(asBackdrop)],
    content,
    others: snapshot.records.filter((record) => !played.has(record)),
    proven: refused,
  };
}

/**
 * The records where the pods on these Nodes tolerate all taints: a Node that is unreachable now may be ready again before
 * its pods are evicted. So what follows from the loss of a pod follows from the deletion of its Node.
 */
function withoutEvictions(
  records: readonly ObjectRecord[],
  nodes: readonly ObjectRecord[],
): readonly ObjectRecord[] {
  const names = new Set(nodes.map(({ name }) => name));
  if (names.size === 0) return records;
  const tolerations = [{ operator: 'Exists' }];
  return records.map((record) =>
    isPod(record) && names.has(knownNodeOf(record) ?? '')
      ? { ...record, facts: { ...record.facts, tolerations } }
      : record,
  );
}

/**
 * Adds the objects and finalizers that still block an object of `touched` in `then`; of finalizers, those of one group.
 * False: all blockers were removed already.
 */
function letMoreGo(
  letGo: LetGo,
  touched: readonly TouchedObject[],
  then: Simulation,
  deliveries: Deliveries,
  isOfGroup: (finalizer: string) => boolean,
): boolean {
  const { removed, confirmed, uids } = letGo;
  const more = new Map<string, readonly string[]>();
  const silentNodeOf = silentNodesAmong(then.objects);
  let isMore = false;
  for (const { key, last, record: tool } of touched) {
    if (!last) continue;
    const known = removed.get(key) ?? [];
    const blocking = blockingFinalizers(last).filter(
      (finalizer) => isOfGroup(finalizer) && !known.includes(finalizer),
    );
    if (blocking.length > 0) more.set(key, blocking);
    const inventory = blocking.length > 0 ? inventoryOf(tool) : undefined;
    if (inventory) deliver(letGo, tool, deliveries);
    const node = silentNodeOf(last);
    if (!node || last.uid === '' || uids.has(last.uid)) continue;
    confirmed.set(key, node);
    uids.add(last.uid);
    isMore = true;
  }
  add(removed, more);
  return isMore || more.size > 0;
}

/** Takes what a tool deletes with its own object for deleted. */
function deliver({ delivered }: LetGo, tool: ObjectRecord, deliveries: Deliveries): void {
  const inventory = inventoryOf(tool);
  if (!inventory || inventory === 'unknown') return;
  for (const record of deletedWith(deliveries, tool)) {
    const isLate = inventory.finalizer === undefined;
    delivered.set(objectKey(record), { record, tool, policy: inventory.policy, isLate });
  }
}

/** Does a tool delete what it applied only after its own object? */
function deletesLater(record: ObjectRecord): boolean {
  const inventory = inventoryOf(record);
  if (!inventory || inventory === 'unknown') return false;
  const { finalizer, keepsAllBecause: leaves, cluster } = inventory;
  return finalizer === undefined && leaves === '' && cluster === undefined;
}

function add(known: Map<string, readonly string[]>, more: Released): void {
  for (const [key, free] of more) known.set(key, [...(known.get(key) ?? []), ...free]);
}

/** Milliseconds. */
function longestGrace(
  records: readonly ObjectRecord[],
  { gracePeriodSeconds = 0 }: DeletionIntent,
): number {
  let longest = gracePeriodSeconds;
  for (const record of records) {
    if (!isPod(record)) continue;
    longest = Math.max(longest, gracePeriodOf(record), record.deletionGracePeriodSeconds ?? 0);
  }
  return longest * 1000;
}

/** One request for each target, once, in the order in which they were named. */
function targetRequests(intent: DeletionIntent): PlannedRequest[] {
  const distinct = new Map(intent.targets.map((record) => [objectKey(record), record]));
  return [...distinct.values()].map((record) => requestFor(record, intent));
}

function requestFor(
  record: ObjectRecord,
  { policy, gracePeriodSeconds, selectedBy }: DeletionIntent,
): PlannedRequest {
  const dependsOn = targetStateOf(record, selectedBy);
  return {
    verb: 'delete',
    ...referenceTo(record),
    ...(dependsOn && { dependsOn }),
    ...(record.resourceVersion !== undefined && { resourceVersion: record.resourceVersion }),
    propagationPolicy: policy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

/**
 * Removals of finalizers, `pause` milliseconds after everything else is over: of those that a deletion sets, and those that
 * only a request removes.
 */
function lateRemovals(
  records: readonly ObjectRecord[],
  removed: Released,
  pause: number,
): SimulatedRequest[] {
  const requests: SimulatedRequest[] = [];
  for (const record of removed.size === 0 ? [] : records) {
    const finalizers = removed.get(objectKey(record)) ?? [];
    const patch = isReleasedLate(record) ? finalizers : finalizers.filter(isOfDependents);
    if (patch.length === 0) continue;
    const { apiVersion, kind, namespace, name } = referenceTo(record);
    const after = requests.length === 0 ? pause : 0;
    const how = { patchType: 'remove-finalizers', patch, dryRun: false } as const;
    requests.push({ verb: 'patch', apiVersion, kind, namespace, name, after, ...how });
  }
  return requests;
}

/** Deletions that come when everything else is over, `pause` milliseconds later, and wait for no kubelet. */
function afterAll(records: readonly ObjectRecord[], pause: number): SimulatedRequest[] {
  const options = { propagationPolicy: 'Background', gracePeriodSeconds: 0 } as const;
  return records.map((record, index) =>
    deletionOf(referenceTo(record), options, index === 0 ? pause : 0),
  );
}

function optionsOf({ propagationPolicy, gracePeriodSeconds }: PlannedRequest): DeleteOptions {
  return {
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
}

/** As one of a scenario's requests. */
function deletionOf(object: ObjectReference, given: DeleteOptions, after = 0): SimulatedRequest {
  const { apiVersion, kind, namespace, name, uid } = object;
  const options = { ...given, ...(uid !== '' && { preconditions: { uid } }) };
  return { verb: 'delete', apiVersion, kind, namespace, name, after, options };
}

import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { defaultSimulationSettings } from '../../controllers/settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
} from '../../controllers/settings/enabled-controllers.ts';
import { type Deliveries, deletedWith, deliveriesAmong } from '../../delivery/deliveries.ts';
import { inventoryOf } from '../../delivery/tools.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { hour, minute } from '../../kube/time.ts';
import { gracePeriodOf, isNamespace, isPod } from '../../kube/well-known-kinds.ts';
import type { DeleteOptions, SimulatedRequest } from '../../simulator/api-server/request.ts';
import { silentNodesAmong } from '../../simulator/controllers/kubelet.ts';
import { asBackdrop } from '../../simulator/engine/backdrop.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import { reachOf } from '../../simulator/reach.ts';
import {
  type BegunSimulation,
  beginSimulation,
  type Simulation,
} from '../../simulator/simulate.ts';
import { inContentOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { partOf } from './part-of-snapshot.ts';
import { plainContentOf } from './plain-content.ts';
import type { DeletionIntent, PlanContext, PlannedRequest } from './plan.ts';
import { targetStateOf } from './plan-difference.ts';
import {
  openEnds,
  sameReason,
  type TouchedObject,
  takenAlong,
  touchedObjects,
} from './touched-objects.ts';
import { type Confirmed, foreignFinalizers, type Released, withoutFinalizers } from './waits.ts';

/** A deletion, played; and the same time without it. */
export interface PlayedDeletion {
  readonly requests: readonly PlannedRequest[];
  /** Targets that are not asked for, by uid: the words in which the API server refuses. */
  readonly refused: ReadonlyMap<string, string>;
  /** Keys of the objects that were named, in that order. */
  readonly targets: ReadonlySet<string>;
  readonly with: Simulation;
  /** The same deletion where all that holds what goes lets it go; `with` where nothing does. */
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
  /** What of these goes with its namespace, and was not played. */
  readonly content: ReadonlySet<ObjectRecord>;
  /** The rest of `snapshot`, which stays as it is. */
  readonly others: readonly ObjectRecord[];
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
  /** Once that is gone, and not while it waits for a finalizer. */
  readonly isLate: boolean;
}

type Part = Pick<PlayedDeletion, 'snapshot' | 'records' | 'content' | 'others'>;

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

/** Plays what is not `content`. */
function playPart(
  { snapshot, records: all, content, others }: Part,
  intent: DeletionIntent,
  { now, settings }: PlanContext,
  before?: PlayedDeletion,
): PlayedDeletion {
  const records = content.size === 0 ? all : all.filter((record) => !content.has(record));
  const longest = longestGrace(all, intent);
  const isEnabled = enabledControllers(
    settings.controllers ?? defaultSimulationSettings.controllers,
  );
  const about = new Set(intent.targets.map(({ uid }) => uid));
  const deliveries = deliveriesAmong(snapshot.records);
  const letGo: LetGo = {
    removed: new Map(),
    confirmed: new Map(),
    delivered: new Map(),
    uids: new Set(),
  };
  const { removed, confirmed, delivered, uids } = letGo;
  // What is let go may let others go: a pod its claim, and the claim its volume.
  const begin = (
    asked: readonly PlannedRequest[],
    doubtful: readonly ObjectRecord[] = [],
  ): BegunSimulation => {
    const applied = [...delivered.values()];
    const sent = [
      ...asked.map((request) => deletionOf(request, optionsOf(request))),
      ...applied.map(({ record, policy }) =>
        deletionOf(referenceTo(record), { propagationPolicy: policy }),
      ),
      ...afterAll(doubtful, longest + minute),
    ];
    const clock = {
      now,
      duration: hour + longest,
      about: new Set([...about, ...applied.map(({ record }) => record.uid)]),
      confirmed: uids,
    };
    const reach = withoutFinalizers(records, removed);
    return beginSimulation(snapshot, sent, settings, { ...clock, reach });
  };
  const named = targetRequests(intent);
  const targets = new Set(named.map(objectKey));
  const { refused = new Map() } = intent;
  const requests = named.filter(({ uid }) => !refused.has(uid));
  // A rare order matters for what is asked for, not for what it is compared with.
  const without = before?.without ?? begin([]).inUsualOrders();
  // What a tool deletes once its own object is gone waits for no finalizer.
  const late = records.filter(deletesLater);
  const play = (): Simulation => {
    for (;;) {
      const played = begin(requests).inAllOrders();
      const left = new Set(played.objects.map(({ uid }) => uid));
      const known = delivered.size;
      for (const tool of late) if (!left.has(tool.uid)) deliver(letGo, tool, deliveries);
      if (delivered.size === known) return played;
    }
  };
  const withFollowers = (played: Simulation): Simulation =>
    withWhatMayFollow(played, without, (doubtful) => begin(requests, doubtful).inOneOrder());
  const played = withFollowers(play());
  let then = played;
  const touchedBy = () => touchedObjects(records, { with: played, then, without }, targets);
  // What was held may let others go, which may be held in turn.
  let begun: BegunSimulation | undefined;
  let touched = touchedBy();
  while (letMoreGo(letGo, touched, then, deliveries)) {
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
    snapshot,
    touched: withContent(touched, content, all),
    isEnabled,
  };
}

/** These, and what goes with a namespace of them without being played, in the order of the records. */
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
    return { snapshot: whole, records, content: new Set(), others: [] };
  }
  const snapshot = partOf(whole, reach);
  const { members, backdrop } = reach;
  const played = new Set([...members, ...backdrop]);
  const content = plainContentOf(reach, intent.targets, whole.types);
  return {
    snapshot,
    records: [...inContentOrder(members), ...inContentOrder(backdrop).map(asBackdrop)],
    content,
    others: snapshot.records.filter((record) => !played.has(record)),
  };
}

/**
 * Where it is open whether a controller deletes something, it is as open what follows from that: all of it is
 * deleted in one more play, and what ends otherwise there is undetermined, too. `without`: what was as open before.
 */
function withWhatMayFollow(
  played: Simulation,
  without: Simulation,
  playWith: (doubtful: readonly ObjectRecord[]) => Simulation,
): Simulation {
  const before = openEnds(without);
  const doubtful = new Map<string, Undetermined>();
  const records = new Map<string, ObjectRecord>();
  let last = played;
  for (let isMore = true; isMore; ) {
    isMore = false;
    const open = openEnds(last);
    for (const { decision } of last.dues) {
      const key = objectKey(decision.object);
      const because = open.get(key);
      if (decision.confidence !== 'unknown' || decision.action !== 'delete') continue;
      if (because === undefined || sameReason(because, before.get(key))) continue;
      if (records.has(key)) continue;
      doubtful.set(key, { object: referenceTo(decision.object), because });
      records.set(key, decision.object);
      isMore = true;
    }
    if (isMore) last = playWith([...records.values()]);
  }
  if (last === played) return played;
  // What may follow in its turn, as a volume does its claim where a provisioner runs, lives on in the play.
  const open = openEnds(last);
  const lives = new Set(
    last.objects.flatMap((end) => {
      const key = objectKey(end);
      return isBeingDeleted(end) || open.has(key) ? [] : [key];
    }),
  );
  const known = openEnds(played);
  const [first] = records.values();
  const followers = played.objects.flatMap((end): Undetermined[] => {
    const key = objectKey(end);
    if (known.has(key) || lives.has(key) || isBeingDeleted(end)) return [];
    const because = `it goes if ${first?.type.kind} ${first?.name} does${records.size > 1 ? ', or another one of those that may go' : ''}`;
    return [doubtful.get(key) ?? { object: referenceTo(end), because }];
  });
  return { ...played, undetermined: [...played.undetermined, ...followers] };
}

/** Adds what still holds something of `touched` in `then`. False: nothing does that was not let go already. */
function letMoreGo(
  letGo: LetGo,
  touched: readonly TouchedObject[],
  then: Simulation,
  deliveries: Deliveries,
): boolean {
  const { removed, confirmed, uids } = letGo;
  const more = new Map<string, readonly string[]>();
  const silentNodeOf = silentNodesAmong(then.objects);
  let isMore = false;
  for (const { key, last, record: tool } of touched) {
    if (!last) continue;
    const known = removed.get(key) ?? [];
    const foreign = foreignFinalizers(last).filter((finalizer) => !known.includes(finalizer));
    if (foreign.length > 0) more.set(key, foreign);
    const inventory = foreign.length > 0 ? inventoryOf(tool) : undefined;
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

/** Does a tool delete what it applied only once its own object is gone? */
function deletesLater(record: ObjectRecord): boolean {
  const inventory = inventoryOf(record);
  if (!inventory || inventory === 'unknown') return false;
  const { finalizer, leaves, cluster } = inventory;
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

/** Deletions that come when everything else is over, `pause` milliseconds later. */
function afterAll(records: readonly ObjectRecord[], pause: number): SimulatedRequest[] {
  return records.map((record, index) =>
    deletionOf(referenceTo(record), { propagationPolicy: 'Background' }, index === 0 ? pause : 0),
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

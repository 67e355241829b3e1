import { isLeaseValid, managerLease } from '../kube/leader-lease.ts';
import { compareText } from '../kube/names.ts';
import type { Condition, ObjectRecord } from '../kube/object-record.ts';
import { hour, timestampOf } from '../kube/time.ts';
import { conditionOf, leases } from '../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import type { ClusterView } from './cluster-view.ts';
import type {
  Controller,
  ControllerId,
  ControllerMemory,
  Decision,
  DecisionConfidence,
  DeletionOptions,
  Passes,
  PatchRequest,
} from './controller.ts';

/**
 * When something happens, in epoch milliseconds; without a latest moment, how long it takes is
 * unknown.
 */
export interface TimeRange {
  readonly notBefore: number;
  readonly notAfter: number | undefined;
}

interface Reason extends TimeRange {
  readonly because: string;
  readonly rule: string;
  readonly confidence?: DecisionConfidence;
}

export function deletion(
  collector: ControllerId,
  object: ObjectRecord,
  reason: Reason & { readonly options?: DeletionOptions },
): Decision {
  return { collector, object, action: 'delete', confidence: 'certain', ...reason };
}

export function patching(
  collector: ControllerId,
  object: ObjectRecord,
  reason: Reason & { readonly patch: PatchRequest },
): Decision {
  return { collector, object, action: 'patch', confidence: 'certain', ...reason };
}

/** One finalizer is removed, and the others stay. */
export function removingFinalizer(
  collector: ControllerId,
  object: ObjectRecord,
  finalizer: string,
  reason: Reason,
): Decision {
  const finalizers = object.finalizers.filter((one) => one !== finalizer);
  return patching(collector, object, { ...reason, patch: { body: { metadata: { finalizers } } } });
}

/**
 * Event-driven controllers process an object when it or one of its related objects changes, when
 * they start, and when their informers resync, after 12 to 24 hours.
 */
export function nextSync(now: number): TimeRange {
  return { notBefore: now, notAfter: now + 24 * hour };
}

/** Milliseconds from an event, or from the end of a timer, until a controller has handled it. */
export const handlingTime = 5000;

/** Absent times are before all others, as Go's zero time is. */
export function timeIn(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp);
}

export function byCreationAndName(a: ObjectRecord, b: ObjectRecord): number {
  // Objects that are compared were often created together.
  const isSame = a.creationTimestamp === b.creationTimestamp;
  const order = isSame ? 0 : timeIn(a.creationTimestamp) - timeIn(b.creationTimestamp);
  return order || compareText(a.name, b.name);
}

/** The first in that order: a whole list need not be sorted for it. */
export function oldestOf(objects: readonly ObjectRecord[]): ObjectRecord | undefined {
  let oldest = objects[0];
  for (const one of objects) if (oldest && byCreationAndName(one, oldest) < 0) oldest = one;
  return oldest;
}

/** The first pass does not wait for the informer: without a pause before it, it sees nothing (CSR-2). */
export function blindAtFirst(period: number): Passes {
  return { period, afterStart: (pause) => (pause > 0 ? pause : period) };
}

/**
 * The first pass at or after `due` of a controller that makes one every `period`; all in
 * milliseconds.
 */
export function passesFrom(
  id: ControllerId,
  passes: Passes,
  due: number,
  now: number,
  memory: ControllerMemory | undefined,
): TimeRange {
  const { period } = passes;
  const afterStart = passes.afterStart(0);
  const from = Math.max(now, due);
  const last = memory?.lastPasses?.get(id);
  const known =
    last !== undefined
      ? last + period
      : memory?.startedAt !== undefined
        ? memory.startedAt + afterStart
        : undefined;
  if (known === undefined)
    return { notBefore: from, notAfter: from + Math.max(period, afterStart) };
  const pass = passFrom(from, known, period);
  // A pass waits its period after the one before it has ended, so that they drift.
  return { notBefore: Math.max(from, pass), notAfter: pass + Math.min(period, 60_000) };
}

/** The first pass that is neither before `time` nor before `known`, one of those that come every `period`; all in milliseconds. */
export function passFrom(time: number, known: number, period: number): number {
  return known + Math.max(0, Math.ceil((time - known) / period)) * period;
}

const type = 'DisruptionTarget';

/**
 * The condition by which controllers say why they delete a pod, at `now` in epoch milliseconds. One that is
 * True already is written over, but keeps its time (PG-21).
 */
export function disruptionTarget(
  pod: ObjectRecord,
  why: { readonly reason: string; readonly message: string },
  now: number,
): Condition {
  const before = conditionOf(pod, type);
  const kept = before?.status === 'True' ? before.lastTransitionTime : undefined;
  return { type, status: 'True', ...why, lastTransitionTime: kept ?? timestampOf(now) };
}

/**
 * A controller's decisions about all objects of a view; `now` in epoch milliseconds. `simulate` asks the same function for
 * one object after another, on its virtual clock.
 */
export function decideAll(
  controller: Controller,
  view: ClusterView,
  settings: ControllerSettings,
  now: number,
  memory?: ControllerMemory,
): readonly Decision[] {
  if ('pass' in controller) return controller.pass(view, settings, now, memory);
  const by = { view, settings, now };
  return controller.syncers.flatMap(({ syncs, sync }) =>
    view.all(syncs).flatMap((object) => sync(object, by)),
  );
}

/**
 * What the cluster shows of its controllers' memory: the Lease says since when the leader leads,
 * and a new leader starts with an empty memory (KCM-7). A Lease that is not being renewed says
 * nothing.
 */
export function memoryFromLease(view: ClusterView, now: number): ControllerMemory {
  const lease = view.at(leases, managerLease.namespace, managerLease.name);
  const acquireTime = lease?.facts?.acquireTime;
  if (acquireTime === undefined || !isLeaseValid(lease?.facts ?? {}, now)) return {};
  return { startedAt: Date.parse(acquireTime) };
}

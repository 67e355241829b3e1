import { isLeaseValid, managerLease } from '../kube/leader-lease.ts';
import { leases } from '../kube/resources.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Controller, ControllerMemory, Decision } from './controller.ts';

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

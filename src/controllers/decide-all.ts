import type { ClusterView } from './cluster-view.ts';
import type { Controller, ControllerMemory, Decision } from './controller.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';

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

import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { Decision } from '../../controllers/controller.ts';
import { decideAll } from '../../controllers/decision.ts';
import { allControllers } from '../../controllers/registry.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../settings/controller-settings.ts';
import { enabledControllers, isOffByDefault } from '../../settings/enabled-controllers.ts';

/** Deletions that a controller would make that does not run, each with why it does not. */
export interface DeletionsOff {
  /** `--controllers` was read, and leaves their controller off. */
  readonly off: readonly Decision[];
  /** It was not read, and their controller is off by default. */
  readonly open: readonly Decision[];
}

export function deletionsOff(
  view: ClusterView,
  settings: ControllerSettings,
  now: number,
): DeletionsOff {
  const isEnabled = enabledControllers(settings.controllers);
  const deletions = allControllers
    .filter(({ controllers }) => controllers.length > 0 && !controllers.some(isEnabled))
    .flatMap((controller) => {
      const [name = ''] = controller.controllers;
      const why = whyOff(name, settings);
      return decideAll(controller, view, settings, now)
        .filter(({ action }) => action === 'delete')
        .map((one): Decision => ({ ...one, because: `${why}: ${one.because}` }));
    });
  if (!isAssumed(settings)) return { off: deletions, open: [] };
  return { off: [], open: deletions.map((one) => ({ ...one, confidence: 'unknown' })) };
}

function isAssumed({ controllers }: ControllerSettings): boolean {
  return controllers === defaultControllerSettings.controllers;
}

/** Why a controller does nothing, in words that its reason for a deletion follows. */
function whyOff(name: string, settings: ControllerSettings): string {
  if (isAssumed(settings)) return `could not read whether ${name} runs (off by default)`;
  const isByDefault = isOffByDefault(name) && !settings.controllers.includes(`-${name}`);
  return isByDefault ? `${name} is off by default` : `--controllers leaves ${name} off`;
}

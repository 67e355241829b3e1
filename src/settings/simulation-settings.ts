import { usageError } from '../errors.ts';
import { parseGoDuration } from '../kubelet/go-duration.ts';
import { enabledControllers } from './controllers.ts';

/** What runs in a simulated cluster; the content of a `--settings` file. */
export interface SimulationSettings {
  /** kube-controller-manager's --controllers; none: only the API server works. */
  readonly controllers: readonly string[];
  /** Does a kubelet confirm the deletion of bound pods? */
  readonly kubelets: boolean;
  /** kube-controller-manager's --terminated-pod-gc-threshold. */
  readonly terminatedPodGCThreshold: number;
  /** kube-controller-manager's --controller-start-interval in milliseconds: a pause before each controller. */
  readonly controllerStartInterval?: number;
}

export const defaultSimulationSettings: SimulationSettings = {
  controllers: ['*'],
  kubelets: true,
  terminatedPodGCThreshold: 12_500,
};

/** Checks a settings document. Usage errors name the field under `place`. */
export function parseSimulationSettings(value: unknown, place: string): SimulationSettings {
  if (value === undefined || value === null) return defaultSimulationSettings;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(place, 'is not a mapping');
  }
  const settings: { -readonly [Key in keyof SimulationSettings]: SimulationSettings[Key] } = {
    ...defaultSimulationSettings,
  };
  for (const [field, given] of Object.entries(value)) {
    const at = place === '' ? field : `${place}.${field}`;
    switch (field) {
      case 'controllers':
        if (!Array.isArray(given) || !given.every((entry) => typeof entry === 'string')) {
          throw invalid(at, 'is not a list of names');
        }
        enabledControllers(given, at);
        settings.controllers = given;
        break;
      case 'kubelets':
        if (typeof given !== 'boolean') throw invalid(at, 'is neither true nor false');
        settings.kubelets = given;
        break;
      case 'terminatedPodGCThreshold':
        if (!Number.isInteger(given)) throw invalid(at, 'is not a whole number');
        settings.terminatedPodGCThreshold = given as number;
        break;
      case 'controllerStartInterval': {
        const pause = typeof given === 'string' ? parseGoDuration(given) : undefined;
        if (pause === undefined || pause < 0) throw invalid(at, 'is not a duration such as 4s');
        settings.controllerStartInterval = pause;
        break;
      }
      default:
        throw invalid(at, 'is not a setting');
    }
  }
  return settings;
}

function invalid(place: string, why: string): Error {
  return usageError(
    'invalid-settings',
    `${place} ${why}`,
    `Settings are: ${[...Object.keys(defaultSimulationSettings), 'controllerStartInterval'].join(', ')}.`,
  );
}

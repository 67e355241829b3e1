import { usageError } from '../errors.ts';
import { parseGoDuration } from '../kubelet/go-duration.ts';
import { enabledControllers } from './controllers.ts';
import { checkedSetting } from './effective/checked-setting.ts';
import { controllerManagerSettings } from './effective/controller-manager-settings.ts';

/** Settings of collectors that are durations: milliseconds here, as in `50s` in files. */
export const collectorDurations = [
  'legacyServiceAccountTokenCleanUpPeriod',
  'nodeMonitorPeriod',
  'nodeMonitorGracePeriod',
  'nodeStartupGracePeriod',
  'pvClaimBinderSyncPeriod',
] as const;

type CollectorDurations = Readonly<Partial<Record<(typeof collectorDurations)[number], number>>>;

/** What runs in a simulated cluster; the content of a `--settings` file. */
export interface SimulationSettings extends CollectorDurations {
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
      case 'terminatedPodGCThreshold': {
        if (!Number.isInteger(given)) throw invalid(at, 'is not a whole number');
        const definition = controllerManagerSettings.find(({ name }) => name === field);
        if (definition) checkedSetting(definition, given, at);
        settings.terminatedPodGCThreshold = given as number;
        break;
      }
      case 'controllerStartInterval': {
        const pause = typeof given === 'string' ? parseGoDuration(given) : undefined;
        if (pause === undefined || pause < 0) throw invalid(at, 'is not a duration such as 4s');
        settings.controllerStartInterval = pause;
        break;
      }
      default: {
        const definition = controllerManagerSettings.find(({ name }) => name === field);
        if (!definition) throw invalid(at, 'is not a setting');
        const value = checkedSetting(definition, given, at);
        const duration = collectorDurations.find((name) => name === field);
        const time = typeof value === 'string' ? parseGoDuration(value) : undefined;
        if (duration && time !== undefined) settings[duration] = time;
      }
    }
  }
  return settings;
}

function invalid(place: string, why: string): Error {
  const known = ['kubelets', ...controllerManagerSettings.map(({ name }) => name)].sort();
  const subject = place === '' ? 'the document' : place;
  return usageError('invalid-settings', `${subject} ${why}`, `Settings are: ${known.join(', ')}.`);
}

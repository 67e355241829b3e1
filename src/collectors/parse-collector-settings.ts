import { usageError } from '../errors.ts';
import { parseGoDuration } from '../kubelet/go-duration.ts';
import {
  type CollectorSettings,
  defaultCollectorSettings,
} from '../settings/collector-settings.ts';
import { parseSimulationSettings } from '../settings/simulation-settings.ts';

const durations = [
  'legacyServiceAccountTokenCleanUpPeriod',
  'nodeMonitorPeriod',
  'nodeMonitorGracePeriod',
  'nodeStartupGracePeriod',
  'pvClaimBinderSyncPeriod',
] as const;

/** Checks a settings document: what `simulate` takes, and the collectors' own. Usage errors name the field. */
export function parseCollectorSettings(value: unknown): CollectorSettings {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  const rest: Record<string, unknown> = isMapping ? { ...value } : {};
  const own: { -readonly [Key in keyof CollectorSettings]?: CollectorSettings[Key] } = {};
  for (const name of durations) {
    if (!(name in rest)) continue;
    own[name] = durationOf(name, rest[name]);
    delete rest[name];
  }
  if ('cloudControllerManager' in rest) {
    const { cloudControllerManager } = rest;
    if (typeof cloudControllerManager !== 'boolean') {
      throw usageError('invalid-settings', 'cloudControllerManager is neither true nor false');
    }
    own.cloudControllerManager = cloudControllerManager;
    delete rest.cloudControllerManager;
  }
  if (typeof rest.terminatedPodGCThreshold === 'number') {
    parseThreshold(`${rest.terminatedPodGCThreshold}`, 'terminatedPodGCThreshold');
  }
  const shared = parseSimulationSettings(isMapping ? rest : value, '');
  return { ...defaultCollectorSettings, ...shared, ...own };
}

/** kube-controller-manager reads its threshold as a 32 bit number, and refuses others in these words. */
export function parseThreshold(text: string, place: string): number {
  const refuse = (why: string): never => {
    throw usageError(
      'invalid-settings',
      `invalid argument "${text}" for "${place}": strconv.ParseInt: parsing "${text}": ${why}`,
      'Give a whole number from -2147483648 to 2147483647; 0 and below switch this step off.',
    );
  };
  if (!/^[+-]?\d+$/.test(text)) return refuse('invalid syntax');
  const number = Number(text);
  return number > 2 ** 31 - 1 || number < -(2 ** 31) ? refuse('value out of range') : number;
}

function durationOf(name: string, value: unknown): number {
  const milliseconds = typeof value === 'string' ? parseGoDuration(value) : undefined;
  if (milliseconds === undefined) {
    throw usageError(
      'invalid-settings',
      `${name}: time: invalid duration ${JSON.stringify(value)}`,
      'Write it as kube-controller-manager takes it: 50s, 10m, 8760h.',
    );
  }
  if (milliseconds <= 0) {
    throw usageError('invalid-settings', `${name} must be greater than 0, but is ${value}`);
  }
  return milliseconds;
}

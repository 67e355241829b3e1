import {
  type ControllerSettings,
  controllerSettingsOf,
  defaultControllerSettings,
  type SimulationSettings,
} from '../../controllers/settings/controller-settings.ts';
import { effectiveSettings } from '../../controllers/settings/effective-settings.ts';
import { usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/go-syntax.ts';
import type { CommonFlags } from '../flags/flags.ts';
import type { Session } from '../input/session.ts';
import { type FactsOfFiles, settingsOfFiles } from './settings-of-files.ts';

/** Where the threshold of ended pods comes from. */
export type SettingsSource = 'flag' | 'settings' | 'cluster' | 'default';

export interface FoundSettings {
  readonly settings: ControllerSettings;
  readonly source: SettingsSource;
}

/** `--settings`, else what the cluster's kube-controller-manager was started with, else its defaults. */
export async function findCollectorSettings(
  flags: CommonFlags & { readonly settings?: string | undefined },
  session: Session,
): Promise<FoundSettings> {
  if (flags.settings !== undefined) {
    const { facts } = await settingsOfFile(flags.settings);
    const { settings, thresholdFrom } = controllerSettingsOf(effectiveSettings(facts));
    return { settings, source: thresholdFrom === 'default' ? 'default' : 'settings' };
  }
  if (flags.from) return { settings: defaultControllerSettings, source: 'default' };
  const { loadManagerSettings } = await import('../../cluster/settings/load-settings.ts');
  const facts = await loadManagerSettings(await session.client(), undefined);
  const { settings, thresholdFrom } = controllerSettingsOf(effectiveSettings(facts));
  const isRead = thresholdFrom !== 'default' && thresholdFrom !== 'unknown';
  return { settings, source: isRead ? 'cluster' : 'default' };
}

function settingsOfFile(path: string): Promise<FactsOfFiles> {
  return settingsOfFiles({
    from: [],
    settings: [path],
    kubelet: [],
    version: undefined,
    now: undefined,
  });
}

/** What `simulate --settings` says: the same files, and what only a simulation has. */
export async function readSimulationSettings(path: string): Promise<SimulationSettings> {
  const { facts, kubelets } = await settingsOfFile(path);
  const read = effectiveSettings(facts);
  const pause = read.find(({ name }) => name === 'controllerStartInterval')?.value;
  const interval = typeof pause === 'string' ? parseGoDuration(pause) : undefined;
  return {
    ...controllerSettingsOf(read).settings,
    ...(kubelets !== undefined && { kubelets }),
    // Nobody waits for less than no time.
    ...(interval !== undefined && interval > 0 && { controllerStartInterval: interval }),
  };
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

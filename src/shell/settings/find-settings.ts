import {
  type ControllerSettings,
  controllerSettingsOf,
  defaultControllerSettings,
  type SimulationSettings,
  startInterval,
} from '../../controllers/settings/controller-settings.ts';
import type { EffectiveSetting } from '../../controllers/settings/effective-settings.ts';
import type { SettingsFacts } from '../../controllers/settings/settings-facts.ts';
import type { ThresholdSource } from '../../output/documents/podgc-preview.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { timeOf } from '../input/clock.ts';
import { openFrom } from '../input/read-files.ts';
import type { Session } from '../input/session.ts';

export interface FoundSettings {
  readonly settings: ControllerSettings;
  /** Where the threshold of ended pods comes from. */
  readonly source: ThresholdSource;
  /** The default is taken because nothing shows what kube-controller-manager runs with. */
  readonly isAssumed?: boolean;
}

/** `--settings`, else what kube-controller-manager was started with, by the cluster or `--from`, else its defaults. */
export async function findControllerSettings(
  flags: CommonFlags & { readonly settings?: string | undefined },
  session: Session,
): Promise<FoundSettings> {
  if (flags.settings !== undefined) return settingsInFile(flags.settings);
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const facts = snapshot.evidence?.settings ? undefined : await managerInFiles(flags, session);
    return facts ? foundIn(facts) : savedControllerSettings(snapshot);
  }
  const { loadManagerSettings } = await import('../../cluster/settings/load-settings.ts');
  return foundIn(await loadManagerSettings(await session.client(true)));
}

/** How kube-controller-manager runs, by its objects in `--from`, which has been read; undefined where there are none. */
export async function managerInFiles(
  flags: CommonFlags,
  { ofManager }: Session,
): Promise<SettingsFacts | undefined> {
  if (ofManager.length === 0) return undefined;
  const { managerFactsIn } = await import('./settings-of-files.ts');
  return managerFactsIn(ofManager, timeOf(flags));
}

/** What was read of kube-controller-manager when a snapshot was saved, else the defaults. */
export async function savedControllerSettings({ evidence }: Snapshot): Promise<FoundSettings> {
  if (!evidence?.settings) {
    return { settings: defaultControllerSettings, source: 'default', isAssumed: true };
  }
  const { savedManagerFacts } = await import('../../controllers/settings/settings-facts.ts');
  return foundIn(savedManagerFacts(evidence.settings));
}

async function foundIn(
  facts: SettingsFacts,
  where: 'cluster' | 'settings' = 'cluster',
): Promise<FoundSettings> {
  const { settings, thresholdFrom } = controllerSettingsOf(await effective(facts));
  const isAssumed = thresholdFrom === 'unknown';
  return {
    settings,
    source: thresholdFrom === 'default' || isAssumed ? 'default' : where,
    isAssumed,
  };
}

/**
 * The same for each session of a command: a file, which may be stdin, is read once, and before anything
 * else, as it may be wrong.
 */
export async function settingsFinder(
  flags: Parameters<typeof findControllerSettings>[0],
): Promise<(session: Session) => Promise<FoundSettings>> {
  if (flags.settings === undefined) return (session) => findControllerSettings(flags, session);
  const ofFile = await settingsInFile(flags.settings);
  return async () => ofFile;
}

async function settingsInFile(path: string): Promise<FoundSettings> {
  const { settingsOfFiles } = await import('./settings-of-files.ts');
  return foundIn((await settingsOfFiles({ settings: path })).facts, 'settings');
}

/** The table of all settings is loaded where any were read. */
async function effective(facts: SettingsFacts): Promise<EffectiveSetting[]> {
  const { effectiveSettings } = await import('../../controllers/settings/effective-settings.ts');
  return effectiveSettings(facts);
}

export async function readSimulationSettings(path: string): Promise<SimulationSettings> {
  const { settingsOfFiles } = await import('./settings-of-files.ts');
  const { facts, kubelets } = await settingsOfFiles({ settings: path });
  const read = await effective(facts);
  const pause = read.find(({ name }) => name === 'controllerStartInterval')?.value;
  return {
    ...controllerSettingsOf(read).settings,
    ...(kubelets !== undefined && { kubelets }),
    ...startInterval(pause),
  };
}

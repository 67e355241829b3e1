import type { Json } from '../../kube/json-value.ts';
import type { ThresholdSource } from '../../questions/podgc-preview/document.ts';
import {
  type ControllerSettings,
  controllerSettingsOf,
  defaultControllerSettings,
  type SeenSettings,
  seenSettingsIn,
  withControllers,
} from '../../settings/controller-settings.ts';
import type { EffectiveSetting } from '../../settings/effective-settings.ts';
import type { SettingsFacts } from '../../settings/settings-facts.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export interface FoundSettings {
  readonly settings: ControllerSettings;
  readonly seen: SeenSettings;
  /** Where the threshold of ended pods comes from. */
  readonly source: ThresholdSource;
  /** The default is taken because nothing shows what kube-controller-manager runs with. */
  readonly isAssumed?: boolean;
}

/** The snapshot with what its files show of kube-controller-manager. */
export async function withSettings(
  snapshot: Snapshot,
  ofManager: readonly Json[],
  now: Date | undefined,
): Promise<Snapshot> {
  const settings = snapshot.evidence?.settings ?? (await settingsOf(ofManager, now));
  const whole = { ...snapshot, settings };
  return withControllers(whole, (await settingsInFiles(whole)).settings);
}

/** What the objects of kube-controller-manager show, as a snapshot saves it. */
async function settingsOf(ofManager: readonly Json[], now: Date | undefined): Promise<Json> {
  const { managerFactsIn } = await import('./settings-of-files.ts');
  const { encodeSettings } = await import('../../settings/settings-facts.ts');
  return encodeSettings(managerFactsIn(ofManager, now));
}

const nothingSeen: FoundSettings = {
  settings: defaultControllerSettings,
  seen: {},
  source: 'default',
  isAssumed: true,
};

/** What kube-controller-manager was started with, as far as files show it, else its defaults. */
export async function settingsInFiles({ settings }: Snapshot): Promise<FoundSettings> {
  if (!settings) return nothingSeen;
  const { savedManagerFacts } = await import('../../settings/settings-facts.ts');
  return foundIn(savedManagerFacts(settings));
}

export async function foundIn(
  facts: SettingsFacts,
  where: 'cluster' | 'settings' = 'cluster',
): Promise<FoundSettings> {
  if (facts.programs.length === 0) return nothingSeen;
  const read = await effective(facts);
  const { settings, thresholdFrom } = controllerSettingsOf(read);
  const isAssumed = thresholdFrom === 'unknown';
  return {
    settings,
    seen: seenSettingsIn(read),
    source: thresholdFrom === 'default' || isAssumed ? 'default' : where,
    isAssumed,
  };
}

/** The table of all settings is loaded where any were read. */
export async function effective(facts: SettingsFacts): Promise<EffectiveSetting[]> {
  const { effectiveSettings } = await import('../../settings/effective-settings.ts');
  return effectiveSettings(facts);
}

import {
  type ControllerSettings,
  controllerSettingsOf,
  defaultControllerSettings,
} from '../../controllers/settings/controller-settings.ts';
import type { EffectiveSetting } from '../../controllers/settings/effective-settings.ts';
import type { SettingsFacts } from '../../controllers/settings/settings-facts.ts';
import type { ThresholdSource } from '../../output/documents/podgc-preview.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { timeOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';

export interface FoundSettings {
  readonly settings: ControllerSettings;
  /** Where the threshold of ended pods comes from. */
  readonly source: ThresholdSource;
  /** The default is taken because nothing shows what kube-controller-manager runs with. */
  readonly isAssumed?: boolean;
}

/** What kube-controller-manager was started with, as far as the files of `--from` show it, else its defaults. */
export async function settingsInFiles(
  flags: CommonFlags,
  session: Pick<Session, 'ofManager'>,
  snapshot: Snapshot,
): Promise<FoundSettings> {
  const facts = snapshot.evidence?.settings ? undefined : await managerInFiles(flags, session);
  return facts ? foundIn(facts) : savedControllerSettings(snapshot);
}

/** How kube-controller-manager runs, by its objects in `--from`, which has been read; undefined where there are none. */
export async function managerInFiles(
  flags: CommonFlags,
  { ofManager }: Pick<Session, 'ofManager'>,
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

export async function foundIn(
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

/** The table of all settings is loaded where any were read. */
export async function effective(facts: SettingsFacts): Promise<EffectiveSetting[]> {
  const { effectiveSettings } = await import('../../controllers/settings/effective-settings.ts');
  return effectiveSettings(facts);
}

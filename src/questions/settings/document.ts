import { picked } from '../../kube/json-value.ts';
import { decidingSettings, type SimulationSettings } from '../../settings/controller-settings.ts';
import {
  type EffectiveSetting,
  effectiveSettings,
  startFaults,
} from '../../settings/effective-settings.ts';
import type { SettingsFacts } from '../../settings/settings-facts.ts';
import { type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';

/** `settings`: how the controllers are configured, and where each setting was read. */
export interface SettingsReport extends DocumentHead<'Settings'> {
  readonly observedAt: string;
  readonly serverVersion?: string;
  readonly leader?: SettingsLeader;
  /** The content of a `--settings` file: what is known, and nothing else. */
  readonly settings: Partial<SimulationSettings>;
  readonly items: readonly EffectiveSetting[];
  /** Upstream's words for why something does not start as it is configured. */
  readonly problems: readonly string[];
}

/** Whose settings of kube-controller-manager count when there are several replicas. */
export interface SettingsLeader {
  /** Left out where it is unknown. */
  readonly instance?: string;
  readonly because: string;
}

export interface SettingsReportOptions {
  /** Only settings of this controller. */
  readonly collector?: string | undefined;
  /** Does a kubelet confirm deletions? As a `--settings` file says. */
  readonly kubelets?: boolean | undefined;
}

export function settingsReport(
  facts: SettingsFacts,
  { collector, kubelets }: SettingsReportOptions = {},
): SettingsReport {
  const { observedAt, serverVersion, problems } = facts;
  const items = effectiveSettings(facts);
  const leader = leaderOf(facts);
  return {
    ...documentHead('Settings', facts.components.length, facts.programs.length, problems),
    observedAt,
    ...(serverVersion !== undefined && { serverVersion }),
    ...(leader && { leader }),
    settings: { ...simulated(items), ...(kubelets !== undefined && { kubelets }) },
    items: askedFirst(items, collector),
    problems: startFaults(facts),
  };
}

/** The settings of a controller, before those that all have; of every component in its place. */
function askedFirst(
  items: readonly EffectiveSetting[],
  collector: string | undefined,
): readonly EffectiveSetting[] {
  if (collector === undefined) return items;
  const own = items.filter(({ collectors }) => collectors.includes(collector));
  const shared = items.filter((item) => item.collectors.includes('all') && !own.includes(item));
  return [...own, ...shared];
}

function leaderOf({ leader }: SettingsFacts): SettingsLeader | undefined {
  if (leader.kind === 'known') return { instance: leader.instance, because: leader.lease };
  return leader.kind === 'unknown' ? { because: leader.because } : undefined;
}

function simulated(items: readonly EffectiveSetting[]): Partial<SimulationSettings> {
  const known = (name: string) =>
    items.find((item) => item.component === 'kube-controller-manager' && item.name === name)?.value;
  return picked(decidingSettings(known), 'controllers', 'terminatedPodGCThreshold');
}

import { boolean, onlyFields, optional, type Schema } from '../syntax/document-part.ts';
import {
  decidingSettings,
  defaultSimulationSettings,
  type SimulationSettings,
  startInterval,
} from './controller-settings.ts';
import { settingValue } from './flag-value.ts';
import type { SettingValue } from './setting-definition.ts';
import { settingsTable } from './settings-table.ts';

/** What a `--settings` file says: settings of kube-controller-manager by name, and what only a simulation has. */
export interface GivenSettings {
  readonly values: ReadonlyMap<string, SettingValue>;
  /** Does a kubelet confirm deletions? */
  readonly kubelets: boolean | undefined;
}

function settingsFields() {
  const parts = Object.fromEntries(
    settingsTable()['kube-controller-manager'].map((definition) => [
      definition.name,
      optional(settingValue(definition)),
    ]),
  );
  return onlyFields({ ...parts, kubelets: optional<SettingValue>(boolean) });
}

/** The settings of a file, checked with upstream's limits; nothing is no settings. */
export const givenSettings: Schema<GivenSettings> = (value) => {
  const { kubelets, ...given } = settingsFields()(value ?? {});
  return {
    values: new Map(Object.entries(given)),
    kubelets: typeof kubelets === 'boolean' ? kubelets : undefined,
  };
};

/** The same for a simulation, with defaults. */
export const simulationSettings: Schema<SimulationSettings> = (value) => {
  const { values, kubelets = defaultSimulationSettings.kubelets } = givenSettings(value);
  return {
    ...defaultSimulationSettings,
    ...decidingSettings((name) => values.get(name)),
    kubelets,
    ...startInterval(values.get('controllerStartInterval')),
  };
};

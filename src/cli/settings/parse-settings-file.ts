import { parseSimulationSettings } from '../../controllers/settings/controller-settings.ts';
import { checkedSetting } from '../../controllers/settings/flag-value.ts';
import type {
  SettingDefinition,
  SettingValue,
} from '../../controllers/settings/setting-definition.ts';
import { settingsTable } from '../../controllers/settings/settings-table.ts';
import { usageError } from '../../errors.ts';

/** The settings that a `--settings` file gives; a whole Settings or Scenario document holds them as `settings`. */
export interface GivenSettings {
  /** Of kube-controller-manager, by name. */
  readonly values: ReadonlyMap<string, SettingValue>;
  /** Does a kubelet confirm deletions? */
  readonly kubelets: boolean | undefined;
}

/** Checks a `--settings` file with upstream's limits. Usage errors name the field. */
export function parseSettingsFile(document: unknown): GivenSettings {
  const outer = Object(document) as Readonly<Record<string, unknown>>;
  const isWhole = outer.kind === 'Settings' || outer.kind === 'Scenario';
  const content = isWhole ? outer.settings : document;
  const place = isWhole ? 'settings' : '';
  if (content === undefined || content === null) return { values: new Map(), kubelets: undefined };
  const definitions = new Map(
    settingsTable['kube-controller-manager'].map((definition) => [definition.name, definition]),
  );
  if (typeof content !== 'object' || Array.isArray(content)) {
    parseSimulationSettings(content, place);
  }
  const values = new Map<string, SettingValue>();
  let kubelets: boolean | undefined;
  for (const [field, given] of Object.entries(content as object)) {
    const at = place === '' ? field : `${place}.${field}`;
    const definition = definitions.get(field);
    if (field === 'kubelets') {
      kubelets = parseSimulationSettings({ kubelets: given }, place).kubelets;
    } else if (definition) {
      values.set(field, checked(definition, given, at));
    } else {
      const known = ['kubelets', ...definitions.keys()].sort();
      throw usageError(
        'invalid-settings',
        `${at} is not a setting`,
        `Settings are: ${known.join(', ')}.`,
      );
    }
  }
  return { values, kubelets };
}

function checked(definition: SettingDefinition, given: unknown, at: string): SettingValue {
  const { name } = definition;
  if (name === 'controllers' || name === 'terminatedPodGCThreshold') {
    parseSimulationSettings({ [name]: given }, at.slice(0, -name.length).replace(/\.$/, ''));
  }
  return checkedSetting(definition, given, at);
}

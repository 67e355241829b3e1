import type { KubeletSetting } from '../../kubelet/kubelet-settings.ts';
import type { SettingDefinition, SettingType, SettingValue } from './setting-definition.ts';

const rules: Readonly<Record<string, string>> = {
  'minimum-container-ttl-duration': 'CFG-4',
  'maximum-dead-containers-per-container': 'CFG-4',
  'maximum-dead-containers': 'CFG-4',
  evictionHard: 'EV-1',
  evictionSoft: 'EV-1',
};

/** The kubelet's settings as the table of all settings has them. */
export function kubeletDefinitions(settings: readonly KubeletSetting[]): SettingDefinition[] {
  return settings.map(({ field, flag, default: text, successor, means }) => {
    const written = flag?.slice(2);
    const type = typeOf(field ?? '', text);
    const isEviction = field?.startsWith('eviction') ?? false;
    const name = field ?? camelCase(written ?? '');
    return {
      component: 'kubelet',
      name,
      flag: written,
      field,
      type,
      default: defaultOf(type, text),
      ...(field?.endsWith('Percent') && { unit: '%' }),
      ...(field === 'imageMaximumGCAge' && { since: 29 }),
      collectors: isEviction
        ? ['image-gc', 'container-gc']
        : [field === undefined ? 'container-gc' : 'image-gc'],
      rule: rules[field ?? written ?? ''] ?? 'CFG-1',
      means,
      successor,
    };
  });
}

function typeOf(field: string, text: string): SettingType {
  if (field.startsWith('eviction')) return 'map';
  return /^-?\d+$/.test(text) ? 'int32' : 'duration';
}

function defaultOf(type: SettingType, text: string): SettingValue {
  if (type === 'int32') return Number(text);
  if (type === 'duration') return text;
  const entries = text.split(', ').filter((entry) => entry !== '');
  return Object.fromEntries(entries.map((entry) => entry.split('<') as [string, string]));
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

import type {
  Component,
  SettingDefinition,
  SettingType,
  SettingValue,
} from './setting-definition.ts';

/**
 * Settings from a table of two lines each: flag, name, type, default, collectors, rule; then what it
 * means. `more`: what else is to be said, by flag.
 */
export function settingsOfRows(
  component: Component,
  table: string,
  more: Readonly<Record<string, Partial<SettingDefinition>>>,
): SettingDefinition[] {
  const lines = table.trim().split('\n');
  const settings: SettingDefinition[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const words = (lines[at] ?? '').trim().split(' ');
    const [flag = '', name = '', type = '', text = '', collectors = '', rule = ''] = words;
    settings.push({
      component,
      name,
      flag,
      type: type as SettingType,
      default: defaultOf(type as SettingType, text),
      collectors: collectors.split(','),
      rule,
      means: (lines[at + 1] ?? '').trim(),
      ...more[flag],
    });
  }
  return settings;
}

function defaultOf(type: SettingType, text: string): SettingValue {
  switch (type) {
    case 'bool':
      return text === 'true';
    case 'int':
    case 'int32':
    case 'float32':
      return Number(text);
    case 'strings':
      return text === '-' ? [] : text.split(',');
    default:
      return text;
  }
}

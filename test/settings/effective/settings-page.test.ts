import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { featureGates } from '../../../src/settings/effective/feature-gates.ts';
import type { SettingDefinition } from '../../../src/settings/effective/setting-definition.ts';
import { settingsTable } from '../../../src/settings/effective/settings-table.ts';
import { markdownTable, withSection } from '../../support/document-section.ts';

const page = fileURLToPath(new URL('../../../docs/settings.md', import.meta.url));

test.each(Object.entries(settingsTable))(
  'the page lists the settings of %s',
  async (id, settings) => {
    const headers = ['setting', 'flag', 'default', 'collectors', 'rule', 'decides'];
    const body = markdownTable(headers, settings.map(row));
    await expect(withSection(page, id, body)).toMatchFileSnapshot(page);
  },
);

test('the page lists the feature gates', async () => {
  const headers = ['gate', 'of', 'default', 'collectors', 'rule', 'decides'];
  const rows = featureGates.map(({ name, components, history, collectors, rule, means }) => [
    `\`${name}\``,
    components.join(', '),
    history
      .map(
        ({ from, on, locked }) =>
          `${on ? 'on' : 'off'}${locked ? ' for good' : ''} from v1.${from}`,
      )
      .join(', '),
    collectors.join(', '),
    rule,
    means,
  ]);
  const body = markdownTable(headers, rows);
  await expect(withSection(page, 'feature-gates', body)).toMatchFileSnapshot(page);
});

function row(setting: SettingDefinition): string[] {
  const {
    name,
    flag,
    field,
    default: value,
    earlier,
    since,
    unit,
    collectors,
    rule,
    means,
  } = setting;
  const deprecated = field !== undefined && flag !== undefined ? ' (deprecated)' : '';
  return [
    `\`${field ?? name}\``,
    flag === undefined ? 'none' : `\`--${flag}\`${deprecated}`,
    [
      `${shown(value)}${unit === undefined ? '' : ` ${unit}`}`,
      ...(earlier ? [`${earlier.default} before v1.${earlier.before}`] : []),
      ...(since === undefined ? [] : [`since v1.${since}`]),
    ].join('; '),
    collectors.join(', '),
    rule,
    means,
  ];
}

function shown(value: SettingDefinition['default']): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `\`${value.join(',')}\``;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).map(([signal, threshold]) => `\`${signal}<${threshold}\``);
  return entries.length === 0 ? 'none' : entries.join(', ');
}

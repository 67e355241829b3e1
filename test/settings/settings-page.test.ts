import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isDeciding } from '../../src/settings/deciding-settings.ts';
import { featureGates } from '../../src/settings/feature-gates.ts';
import type { SettingDefinition } from '../../src/settings/setting-definition.ts';
import { settingsTable } from '../../src/settings/settings-table.ts';
import { markdownTable, replaceSection } from '../support/document-section.ts';

const page = fileURLToPath(new URL('../../docs/settings.md', import.meta.url));

/** In one go: a snapshot file that several tests write at once ends up torn. */
test('the page lists all settings and feature gates', async () => {
  const headers = ['setting', 'flag', 'default', 'collectors', 'rule', 'decides'];
  const withSettings = Object.entries(settingsTable()).reduce(
    (content, [id, settings]) =>
      replaceSection(content, id, markdownTable(headers, settings.map(row))),
    readFileSync(page, 'utf8'),
  );
  await expect(replaceSection(withSettings, 'feature-gates', gatesTable())).toMatchFileSnapshot(
    page,
  );
});

function gatesTable(): string {
  const headers = ['gate', 'of', 'default', 'collectors', 'rule', 'decides'];
  const rows = featureGates().map(({ name, components, history, collectors, rule, means }) => [
    `\`${name}\``,
    components.join(', '),
    history
      .map(
        ({ from, on, locked, gone }) =>
          `${gone ? 'gone' : on ? 'on' : 'off'}${locked ? ' for good' : ''} from v1.${from}`,
      )
      .join(', '),
    collectors.join(', '),
    rule,
    meaning(
      components.some((one) => isDeciding(one, name, true)),
      means,
    ),
  ]);
  return markdownTable(headers, rows);
}

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
      `${shown(value)}${unit === undefined ? '' : unit === '%' ? unit : ` ${unit}`}`,
      ...(earlier ? [`${earlier.default} before v1.${earlier.before}`] : []),
      ...(since === undefined ? [] : [`since v1.${since}`]),
    ].join('; '),
    collectors.join(', '),
    rule,
    meaning(isDeciding(setting.component, name, false), means),
  ];
}

function shown(value: SettingDefinition['default']): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `\`${value.join(',')}\``;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).map(([signal, threshold]) => `\`${signal}<${threshold}\``);
  return entries.length === 0 ? 'none' : entries.join(', ');
}

function meaning(isDecided: boolean, means: string): string {
  return isDecided ? means : `${means} (shown only)`;
}

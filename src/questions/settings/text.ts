import { firstOf } from '../../kube/counts-by-kind.ts';
import { stacked } from '../../output/fit-text.ts';
import { printable } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import { onOneScreen, type ScreenTable, sectionsOnScreen } from '../../output/tables/one-screen.ts';
import type { Column } from '../../output/tables/table.ts';
import type { EffectiveSetting } from '../../settings/effective-settings.ts';
import type { SettingValue } from '../../settings/setting-definition.ts';
import type { Answer } from '../answer.ts';
import type { SettingsReport } from './document.ts';

export const settingsAnswer = {
  tableOf: settingsTables,
} satisfies Answer<SettingsReport>;

/** Each component: whose settings they are, and a table of them. */
export function settingsTables(report: SettingsReport, options: RenderOptions): string {
  const byComponent = Map.groupBy(report.items, ({ component }) => component);
  const sections = [...byComponent].map(([component, items]) => (most: number) => {
    const head = [component, ...componentHead(component, items, report, options)];
    const table = onOneScreen(settingTable(items), options, most - head.length - 1);
    return `${head.map(printable).join('\n')}\n\n${table}`;
  });
  const faults = report.problems.map((problem) => `Does not start: ${printable(problem)}\n`);
  return stacked([sectionsOnScreen(sections, options), faults.join('')]);
}

/** Settings that were changed come first where there is no room for all. */
function settingTable(items: readonly EffectiveSetting[]): ScreenTable<EffectiveSetting> {
  const isDefault = ({ source }: EffectiveSetting) => Number(source === 'default');
  return {
    items,
    columns: columnsOf(items),
    groupings: [{ alike: (item) => JSON.stringify(item), characters: Number.POSITIVE_INFINITY }],
    noun: 'setting',
    byImportance: (a, b) => isDefault(a) - isDefault(b),
  };
}

function componentHead(
  component: string,
  items: readonly EffectiveSetting[],
  { leader }: SettingsReport,
  { wide }: RenderOptions,
): readonly string[] {
  const instances = [...new Set(items.flatMap((item) => item.instances))];
  if (component === 'kube-controller-manager' && leader) {
    const { instance, because } = leader;
    return [
      `  leader: ${instance === undefined ? `unknown, ${because}` : `${instance} (${because})`}`,
    ];
  }
  if (instances.length === 0)
    return ['  not seen: it may run with other values than the defaults below'];
  const read = new Set(items.flatMap((item) => (item.source === 'unknown' ? [] : item.instances)));
  const silent = instances.filter((instance) => !read.has(instance));
  return [
    ...(read.size > 0 ? [`  on: ${firstOf([...read])}`] : []),
    ...(silent.length > 0 ? [`  not read: ${firstOf(silent, wide ? silent.length : 10)}`] : []),
  ];
}

function columnsOf(items: readonly EffectiveSetting[]): Column<EffectiveSetting>[] {
  const everywhere = new Set(items.flatMap((item) => item.instances)).size;
  const differs = items.some(({ instances }) => instances.length < everywhere);
  const on: Column<EffectiveSetting> = ['ON', ({ instances }) => firstOf(instances)];
  return [
    ['SETTING', ({ field, flag, name }) => field ?? flag ?? name],
    [
      'VALUE',
      ({ value, unit }) =>
        value === undefined ? { text: '<unknown>', paint: 'cyan' } : settingWithUnit(value, unit),
    ],
    [
      'DEFAULT',
      (item) =>
        `${settingWithUnit(item.default, item.unit)}${item.value === undefined ? ` (${item.defaultOf})` : ''}`,
    ],
    ['SOURCE', ({ source }) => source],
    ...(differs ? [on] : []),
    ['RULE', ({ rule }) => rule, 'wide'],
    ['CONTROLLERS', ({ collectors }) => collectors.join(','), 'wide'],
    ['READ FROM', ({ readFrom }) => readFrom, 'wide'],
    ['MEANING', ({ means, shownOnly }) => (shownOnly ? `${means} (shown only)` : means)],
  ];
}

function settingWithUnit(value: SettingValue, unit = ''): string {
  const text = settingText(value);
  return unit === '' ? text : `${text}${unit === '%' || unit === 's' ? '' : ' '}${unit}`;
}

function settingText(value: SettingValue): string {
  if (typeof value !== 'object') return String(value);
  const entries = Array.isArray(value)
    ? value.map(written)
    : Object.entries(value).map(([signal, threshold]) => `${signal}<${written(threshold)}`);
  return entries.length === 0 ? '<none>' : entries.join(',');
}

/** The JSON of a value in a configuration that is no string. */
function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

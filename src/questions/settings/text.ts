import { counted, firstOf } from '../../kube/counts-by-kind.ts';
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
  const sections = [...byComponent].map(
    ([component, items]) =>
      (most: number) =>
        componentText([component, ...componentHead(component, items, report, options)], items, {
          ...options,
          most,
        }),
  );
  const faults = report.problems.map((problem) => `Does not start: ${printable(problem)}\n`);
  return stacked([sectionsOnScreen(sections, options), faults.join('')]);
}

/** Below its name. On a screen, which has few lines, its name and where it runs are one line. */
function componentText(
  head: readonly string[],
  items: readonly EffectiveSetting[],
  { most, ...options }: RenderOptions & { readonly most: number },
): string {
  const isScreen = options.width !== undefined && !options.wide;
  const above = isScreen
    ? `${printable(head.join(''))}\n`
    : `${head.map(printable).join('\n')}\n\n`;
  if (isScreen && items.every(({ source }) => source === 'unknown')) {
    return `${above}  -o wide lists its ${counted(items.length, 'setting')}\n`;
  }
  return above + onOneScreen(settingTable(items), options, most - (isScreen ? 1 : head.length + 1));
}

/** What people ask for first: when Pods, dependents and the Pods of a silent Node are deleted. */
const asked = [
  '--terminated-pod-gc-threshold',
  '--concurrent-gc-syncs',
  '--enable-garbage-collector',
  '--node-monitor-grace-period',
];

function askedRank({ flag = '' }: EffectiveSetting): number {
  const rank = asked.indexOf(flag);
  return rank < 0 ? asked.length : rank;
}

function importance(item: EffectiveSetting): number {
  const { source, value } = item;
  if (source !== 'default' && settingText(value ?? '') !== settingText(item.default)) return 0;
  return askedRank(item) < asked.length || source === 'default' ? 1 : 2;
}

/** Settings that were changed come first where there is no room for all, then those that are asked for. */
function settingTable(items: readonly EffectiveSetting[]): ScreenTable<EffectiveSetting> {
  return {
    items,
    columns: columnsOf(items),
    groupings: [Number.POSITIVE_INFINITY, 0].map((characters) => ({
      alike: (item) => JSON.stringify(item),
      characters,
    })),
    noun: 'setting',
    byImportance: (a, b) => importance(a) - importance(b) || askedRank(a) - askedRank(b),
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

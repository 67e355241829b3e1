import { describe, expect, test } from 'vitest';
import type { RenderOptions } from '../../../src/output/style.ts';
import {
  groupingsBy,
  objectsInWords,
  onOneScreen,
  type ScreenTable,
  sectionsOnScreen,
} from '../../../src/output/tables/one-screen.ts';

const terminal: RenderOptions = { colour: false, width: 80, now: 0 };

interface Finding {
  readonly rule: string;
  readonly age: number;
  readonly object: { readonly namespace: string; readonly name: string };
}

function findings(count: number, rules: number): readonly Finding[] {
  return Array.from({ length: count }, (_, at) => ({
    rule: `rule-${at % rules}`,
    age: at,
    object: { namespace: at % 2 === 0 ? 'shop' : 'bank', name: `web-${at}` },
  }));
}

function tableOf(items: readonly Finding[], more: Partial<ScreenTable<Finding>> = {}) {
  const table: ScreenTable<Finding> = {
    items,
    columns: [
      ['NAMESPACE', ({ object }) => object.namespace],
      ['OBJECT', ({ object }) => `Pod/${object.name}`],
      ['RULE', ({ rule }) => rule],
      ['AGE', ({ age }) => `${age}s`],
      [
        'REASON',
        ({ age, rule }) => `for ${age}s: ${rule} has a reason of some length, ${'word '.repeat(9)}`,
      ],
    ],
    objectOf: ({ object }) => ({ ...object, apiVersion: 'v1', kind: 'Pod', uid: object.name }),
    groupings: groupingsBy(
      ({ rule, object }) => `${rule} ${object.namespace}`,
      ({ rule }) => rule,
    ),
    noun: 'finding',
    ...more,
  };
  return table;
}

function linesOf(table: ScreenTable<Finding>, options: Partial<RenderOptions> = {}): string[] {
  return onOneScreen(table, { ...terminal, ...options })
    .trimEnd()
    .split('\n');
}

describe('a table on a terminal', () => {
  test('has a row for each item, with its whole reason, where there is room', () => {
    const lines = linesOf(tableOf(findings(3, 3)));
    expect(lines.join(' ').match(/rule-\d has/g)).toEqual([
      'rule-0 has',
      'rule-1 has',
      'rule-2 has',
    ]);
    expect(lines.join('\n')).not.toContain('-o wide');
  });

  test('has one row for what has one cause, however much room there is', () => {
    const table = tableOf(findings(4, 1), { withoutAge: (item) => ({ ...item, age: 0 }) });
    const lines = linesOf(table, { height: 200 });
    expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual(
      expect.arrayContaining(['2 Pods: web-0, web-2', '2 Pods: web-1, web-3']),
    );
    expect(lines.filter((line) => line.includes('more reason'))).toEqual([]);
    expect(lines.at(-1)).toBe('-o wide lists all 4 findings');
  });

  test.each([24, 30, 60])(
    'has no more lines than %d leave beside stderr and the prompt',
    (height) => {
      for (const [count, rules] of [
        [12, 12],
        [300, 3],
        [300, 40],
        [300, 300],
      ] as const) {
        const lines = linesOf(tableOf(findings(count, rules)), { height });
        expect(lines.length).toBeLessThanOrEqual(height - 6);
        const shown = lines.slice(1).reduce((sum, line) => {
          const [, count = '0'] = / (\d+) Pods/.exec(line) ?? [];
          return sum + Number(count) + (line.match(/ Pod\//g)?.length ?? 0);
        }, 0);
        const [, hidden = '0'] = /^and (\d+) more/.exec(lines.at(-1) ?? '') ?? [];
        expect(shown + Number(hidden)).toBe(count);
      }
    },
  );

  test('keeps the most important rows', () => {
    const byImportance = (a: Finding, b: Finding) => b.age - a.age;
    const lines = linesOf(tableOf(findings(300, 300), { byImportance }));
    expect(lines[1]).toContain('rule-299');
  });

  test('has a row for each item in a pipe, with -o wide, with labels and with marks', () => {
    const labels = { named: [], all: false, of: () => ({}) };
    for (const options of [
      { width: undefined },
      { wide: true },
      { labels },
      { marks: new Map() },
    ]) {
      const lines = linesOf(tableOf(findings(50, 1)), options);
      expect(lines.filter((line) => line.includes('Pod/'))).toHaveLength(50);
    }
  });
});

test('sections share a screen: the first gets what the others do not need', () => {
  const section = (count: number) => (most: number) =>
    onOneScreen(tableOf(findings(count, count)), terminal, most);
  const text = sectionsOnScreen([section(300), section(1), section(0)], terminal);
  const [first = [], second = []] = text.split('\n\n').map((part) => part.trimEnd().split('\n'));
  expect(first.length + 1 + second.length).toBeLessThanOrEqual(18);
  expect(first.length).toBeGreaterThan(10);
  expect(second[1]).toContain('Pod/web-0');
});

test('of sections that all need more lines, an earlier one gets more', () => {
  const section = (most: number) => onOneScreen(tableOf(findings(300, 300)), terminal, most);
  const text = sectionsOnScreen([section, section, section], terminal);
  const heights = text.split('\n\n').map((part) => part.trimEnd().split('\n').length);
  expect(heights).toEqual(heights.toSorted((a, b) => b - a));
  expect(heights.reduce((sum, height) => sum + height + 1, 0)).toBeLessThanOrEqual(19);
});

test('objects in words are names where they are few', () => {
  const object = (kind: string, name: string) => ({
    apiVersion: 'v1',
    kind,
    namespace: '',
    name,
    uid: name,
  });
  const pods = (count: number) =>
    Array.from({ length: count }, (_, at) => object('Pod', `a-long-name-${at}`));
  expect(objectsInWords(pods(1))).toBe('Pod/a-long-name-0');
  expect(objectsInWords(pods(2))).toBe('2 Pods: a-long-name-0, a-long-name-1');
  expect(objectsInWords(pods(9))).toBe('9 Pods');
  expect(objectsInWords([...pods(2), object('Secret', 'tls')])).toBe('2 Pods, 1 Secret');
  const kinds = ['Pod', 'Secret', 'Service', 'Job'].map((kind) => object(kind, 'web'));
  expect(objectsInWords(kinds)).toBe('4 objects of 4 kinds');
});

test('an object that stands there several times is counted, and named once', () => {
  const web = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-0', uid: '' };
  expect([2, 3].map((times) => objectsInWords(Array.from({ length: times }, () => web)))).toEqual([
    'Pod/web-0, twice',
    'Pod/web-0, 3 times',
  ]);
});

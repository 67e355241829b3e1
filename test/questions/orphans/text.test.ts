import { expect, test } from 'vitest';
import type { Orphan } from '../../../src/questions/orphans/document.ts';
import { orphansReport } from '../../../src/questions/orphans/document.ts';
import { orphansTable } from '../../../src/questions/orphans/text.ts';
import { configMap, graphOf } from '../../support/builders.ts';

test('a screen shows what is unused first, and no row for used and unused objects together', () => {
  const records = Array.from({ length: 90 }, (_, at) => configMap(`c-${at}`, {}));
  const report = orphansReport(graphOf(records), { unmanaged: true });
  const uses = ['used', 'none-found', undefined] as const;
  const items = report.items.map((item, at): Orphan => {
    const state = uses[at % uses.length];
    return state ? { ...item, use: { state, by: [], because: `${state}-${at}` } } : item;
  });
  const options = {
    colour: false,
    width: 80,
    height: 24,
    now: Date.parse(graphOf([]).snapshot.observedAt),
  };
  const [, ...rows] = orphansTable({ ...report, items }, options)
    .trimEnd()
    .split('\n');
  expect(
    rows.map((row) => [/\d+ ConfigMaps/.exec(row)?.[0], /(none-found|used)-/.exec(row)?.[1]]),
  ).toEqual([
    ['30 ConfigMaps', 'none-found'],
    ['30 ConfigMaps', 'used'],
    ['30 ConfigMaps', undefined],
    [undefined, undefined],
  ]);
});

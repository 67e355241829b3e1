import { expect, test } from 'vitest';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import { unusedInWords } from '../../../src/kube/pod-use.ts';
import { forecastReport } from '../../../src/output/documents/forecast.ts';
import { orphansReport } from '../../../src/output/documents/orphans.ts';
import { builderOf, graphOf, ownedByGone, pod, snapshotOf } from '../../support/builders.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const lastTransitionTime = '2026-05-01T00:00:00Z';
const conditions = (status: string) => [{ type: 'Unused', status, lastTransitionTime }];
const unused = claim('data', { facts: { phase: 'Bound', conditions: conditions('True') } });

test('a claim tells since when no pod has used it, where its condition does', () => {
  expect(unusedInWords(unused)).toBe('; no pod has used it since 2026-05-01T00:00:00Z');
  const used = claim('data', { facts: { phase: 'Bound', conditions: conditions('False') } });
  const other = pod('db', { facts: { conditions: conditions('True') } });
  expect([used, other, claim('bare')].map(unusedInWords)).toEqual(['', '', '']);
});

test('orphans and forecast say so in their reasons', () => {
  const { items } = orphansReport(graphOf([unused]), { unmanaged: true });
  expect(items[0]?.gc.because).toMatch(/; no pod has used it since 2026-05-01T00:00:00Z$/);
  const lost = { ...unused, ownerReferences: [ownedByGone('v1 ConfigMap gone')] };
  const forecast = forecastReport(snapshotOf([lost]), {
    now: Date.parse('2026-06-01T00:00:00Z'),
    within: 60_000,
    settings: defaultControllerSettings,
  });
  expect(forecast.items.map(({ because }) => because.split('; ').at(-1))).toEqual([
    'no pod has used it since 2026-05-01T00:00:00Z',
  ]);
});

import { expect, test } from 'vitest';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { forecastReport } from '../../../src/output/documents/forecast.ts';
import { builderOf, node, pod, type SnapshotOptions, snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

test('no ServiceAccounts are missing, which have no Secrets since v1.24, unless nothing was read in full', () => {
  const account = builderOf('v1', 'ServiceAccount')('default');
  const blind = (records: readonly ObjectRecord[], options: SnapshotOptions = {}) =>
    forecastReport(snapshotOf(records, options), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    })
      .collectors.filter(({ withoutFacts }) => withoutFacts.includes('serviceaccounts'))
      .map(({ id }) => id);
  const both = ['legacy-serviceaccount-token-cleaner', 'serviceaccount-token'];
  const worker = node('worker', { facts: ready });
  expect(blind([worker, account])).toEqual([]);
  const message = 'its objects could not be read in full';
  const problem = { reason: 'unavailable', resource: 'serviceaccounts', message } as const;
  expect(blind([worker, account], { coverage: { problems: [problem] } })).toEqual(both);
  expect(blind([account])).toEqual(both);
});

test('a cluster that has no Node at all has none of those that pods name', () => {
  const bound = pod('web', { facts: { nodeName: 'gone' } });
  const rules = (options: SnapshotOptions = {}) =>
    forecastReport(snapshotOf([bound], options), {
      ...{ now, within: 3_600_000, settings: defaultControllerSettings },
    }).items.map(({ rule }) => rule);
  expect([rules(), rules({ unread: ['nodes'] })]).toEqual([['PG-16'], []]);
});

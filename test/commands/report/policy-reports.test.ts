import { expect, test } from 'vitest';
import { type PolicyResult, policyReports } from '../../../src/commands/report/policy-reports.ts';
import { reportApis } from '../../../src/commands/report/take-look.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { reportOf } from '../../support/audit-report.ts';
import { snapshotOf } from '../../support/builders.ts';

const audit = reportOf();
const problem = { reason: 'forbidden', message: 'cannot list secrets: no' } as const;
const now = Date.parse('2026-01-03T00:00:00Z');
const forecast = forecastReport(snapshotOf([], { coverage: { problems: [problem] } }), {
  ...{ now, within: 1, settings: defaultControllerSettings },
});
const look = { audit, forecast, isOpen: () => true, isJudged: () => true };
const nothing = { ...look, audit: { ...audit, items: [] } };

/** The results of each report by its place, where these were written before. */
function resultsOf(given: Partial<typeof look> = {}, before: readonly PolicyResult[] = []) {
  const earlier = new Map(before.length > 0 ? [['shop', before]] : []);
  const reports = policyReports(reportApis['openreports.io'], { ...look, ...given }, earlier);
  return new Map(
    reports.map(({ namespace, name, content }) => {
      const { results } = content as { readonly results: readonly PolicyResult[] };
      return [`${namespace}/${name}`, results];
    }),
  );
}

const [first] = resultsOf().get('shop/kubectl-gc') ?? [];
if (!first) throw new Error('there is no result');

test('new findings stand in the report of their namespace, and gaps in that of the cluster', () => {
  const results = resultsOf();
  expect([...results.keys()]).toEqual(['shop/kubectl-gc', '/kubectl-gc']);
  expect(first).toMatchObject({
    source: 'kubectl-gc',
    policy: 'missing-owner',
    severity: 'high',
    result: 'fail',
    scored: true,
    timestamp: { seconds: now / 1000, nanos: 0 },
    resources: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' }],
  });
  const found = [...results.values()].flat().filter(({ result }) => result !== 'error');
  expect(found).toHaveLength(audit.items.filter(({ status }) => status === 'new').length);
  expect(
    results.get('/kubectl-gc')?.map(({ result, message }) => [result, message]),
  ).toContainEqual(['error', problem.message]);
});

test('findings in a terminating namespace are in the report of the cluster', () => {
  const results = resultsOf({ isOpen: () => false });
  expect([...results.keys()]).toEqual(['/kubectl-gc']);
  expect(results.get('/kubectl-gc')?.[0]?.resources).toEqual([
    expect.objectContaining({ namespace: 'shop' }),
  ]);
});

const before = { ...first, timestamp: { seconds: 1, nanos: 0 } };

const unjudged = { isJudged: () => false };
const waived = {
  ...audit,
  items: audit.items.map((item) => ({ ...item, status: 'waived' as const })),
};
const skipped: PolicyResult = { ...before, result: 'skip', scored: false };

test.each<[string, Partial<typeof look>, PolicyResult | undefined]>([
  ['known findings keep timestamps', {}, before],
  ['resolved ones are dropped', nothing, undefined],
  ['unread ones stay, as skipped', { ...nothing, ...unjudged }, skipped],
  ['waived ones are dropped, whatever was read', { audit: waived, ...unjudged }, undefined],
])('of earlier results %s', (_, given, expected) => {
  expect(resultsOf(given, [before]).get('shop/kubectl-gc')?.[0]).toEqual(expected);
});

test('more than fit into one object are spread over several', () => {
  const many = Array.from({ length: 501 }, () => before);
  const earlier = new Map([['shop', many]]);
  const reports = (api: keyof typeof reportApis) =>
    policyReports(reportApis[api], { ...nothing, ...unjudged }, earlier).filter(
      ({ namespace }) => namespace === 'shop',
    );
  const summary = { pass: 0, fail: 0, warn: 0, error: 0 };
  expect(reports('openreports.io')).toMatchObject([
    { name: 'kubectl-gc', content: { source: 'kubectl-gc', summary: { ...summary, skip: 500 } } },
    { name: 'kubectl-gc-2', content: { summary: { ...summary, skip: 1 } } },
  ]);
  expect(reports('wgpolicyk8s.io')[0]?.content).not.toHaveProperty('source');
});

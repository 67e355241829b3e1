import { describe, expect, test } from 'vitest';
import {
  policyResults,
  reportApis,
  reportsOf,
  withEarlier,
} from '../../../src/commands/report/policy-reports.ts';
import { reportOf } from '../../support/audit-report.ts';

const report = reportOf();
const problem = { reason: 'forbidden', message: 'cannot list secrets: no' } as const;
const seconds = Date.parse('2026-01-03T00:00:00Z') / 1000;

test('new findings stand in the report of their namespace, and gaps in that of the cluster', () => {
  const results = policyResults(report, [problem], () => true);
  expect([...results.keys()]).toEqual(['shop', '']);
  expect(results.get('shop')?.[0]).toMatchObject({
    source: 'kubectl-gc',
    policy: 'missing-owner',
    severity: 'high',
    result: 'fail',
    scored: true,
    timestamp: { seconds, nanos: 0 },
    resources: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' }],
  });
  const found = [...results.values()].flat().filter(({ result }) => result !== 'error');
  expect(found).toHaveLength(report.items.filter(({ status }) => status === 'new').length);
  expect(results.get('')?.map(({ result, message }) => [result, message])).toContainEqual([
    'error',
    problem.message,
  ]);
});

test('what is in a namespace that takes no new objects stands in the report of the cluster', () => {
  const results = policyResults(report, [], () => false);
  expect([...results.keys()]).toEqual(['']);
  expect(results.get('')?.[0]?.resources).toEqual([expect.objectContaining({ namespace: 'shop' })]);
});

describe('earlier results', () => {
  const [first] = policyResults(report, [], () => true).get('shop') ?? [];
  if (!first) throw new Error('there is no result');
  const before = { ...first, timestamp: { seconds: 1, nanos: 0 } };
  const found = new Set([first.properties.fingerprint ?? '']);

  test('a finding that was known keeps its time', () => {
    const earlier = { results: [before], isJudged: () => true, found };
    expect(withEarlier([first], earlier)).toEqual([before]);
  });

  test('one that is no more is dropped', () => {
    expect(withEarlier([], { results: [before], isJudged: () => true, found: new Set() })).toEqual(
      [],
    );
  });

  test('one that could not be looked for is kept, as skipped', () => {
    const earlier = { results: [before], isJudged: () => false, found: new Set<string>() };
    expect(withEarlier([], earlier)).toEqual([{ ...before, result: 'skip', scored: false }]);
  });

  test('one that is waived by now is dropped, whatever was read', () => {
    expect(withEarlier([], { results: [before], isJudged: () => false, found })).toEqual([]);
  });

  test('more than fit into one object are spread over several', () => {
    const many = Array.from({ length: 501 }, () => first);
    const [one, two, ...rest] = reportsOf(reportApis['openreports.io'], many);
    expect([one?.summary.fail, two?.summary, rest]).toEqual([
      500,
      { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 },
      [],
    ]);
    expect(one).toMatchObject({ source: 'kubectl-gc' });
    expect(reportsOf(reportApis['wgpolicyk8s.io'], [first])[0]).not.toHaveProperty('source');
  });
});

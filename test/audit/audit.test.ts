import { describe, expect, test } from 'vitest';
import { type AuditOptions, audit } from '../../src/audit/audit.ts';
import { baselineOf, parseBaseline } from '../../src/audit/baseline.ts';
import { publishedConsequences } from '../../src/audit/rules/reference-findings.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { auditReport } from '../../src/questions/audit/document.ts';
import { allRules } from '../support/audit-options.ts';
import {
  blocking,
  configMap,
  deployment,
  graphOf,
  job,
  ownedBy,
  ownedByGone,
  pod,
  type SnapshotOptions,
} from '../support/builders.ts';

const options = allRules('2026-01-03T00:00:00Z');
const lost = configMap('web-flags', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });

function reportOf(
  records: readonly ObjectRecord[],
  changes: Partial<AuditOptions> = {},
  snapshot?: SnapshotOptions,
) {
  const graph = graphOf(records, snapshot);
  const given = { ...options, ...changes };
  return auditReport(graph, audit(graph, given), given);
}

const found = (report: ReturnType<typeof reportOf>) =>
  report.items.map(({ severity, status, fingerprint }) => `${severity} ${status} ${fingerprint}`);

describe('how grave a wrong reference is', () => {
  const live = deployment('web');
  test.each<[string, ObjectRecord[], string[]]>([
    ['deleted', [lost], ['error new missing-owner: configmaps shop/web-flags > Deployment/web']],
    [
      'reference-removed',
      [live, { ...lost, ownerReferences: [ownedBy(live), ownedByGone('v1 ConfigMap x')] }],
      ['warning new missing-owner: configmaps shop/web-flags > ConfigMap/x'],
    ],
    [
      'being-deleted',
      [{ ...lost, deletionTimestamp: '2026-01-02T23:59:00Z', finalizers: ['example.com/x'] }],
      ['info new missing-owner: configmaps shop/web-flags > Deployment/web'],
    ],
    [
      'never collected, and blocks its owner',
      [
        live,
        {
          ...lost,
          ownerReferences: [{ ...ownedBy(live, blocking), apiVersion: 'extensions/v1beta1' }],
        },
      ],
      ['error new unserved-owner-kind: configmaps shop/web-flags > Deployment/web'],
    ],
  ])('%s', (_, records, expected) => {
    const rules = new Set(['missing-owner', 'unserved-owner-kind']);
    expect(found(reportOf(records, { rules }))).toEqual(expected);
  });
});

test('the gravest come first; severities can be set; the lesser left out', () => {
  const facts = { conditions: [{ type: 'Complete', status: 'True' }] };
  const records = [job('a', { facts }), lost];
  const ofJob = 'new finished-job-without-ttl: jobs.batch shop/a';
  const ofMap = 'new missing-owner: configmaps shop/web-flags > Deployment/web';
  expect(found(reportOf(records))).toEqual([`error ${ofMap}`, `info ${ofJob}`]);
  const severities = { 'finished-job-without-ttl': 'error', 'missing-owner': 'info' } as const;
  expect(found(reportOf(records, { severities }))).toEqual([`error ${ofJob}`, `info ${ofMap}`]);
  expect(found(reportOf(records, { severity: 'warning' }))).toEqual([`error ${ofMap}`]);
});

test('whole, with fix, consequence and the owner that it is about', () => {
  const live = deployment('web', { uid: 'uid-new', facts: {} });
  const stale = configMap('web-flags', { ownerReferences: [ownedBy(live, { uid: 'uid-old' })] });
  const report = reportOf([live, stale]);
  const ref = (apiVersion: string, kind: string, name: string, uid: string) => {
    return { apiVersion, kind, namespace: 'shop', name, uid };
  };
  expect({ ...report, coverage: undefined, rules: report.rules.slice(0, 2) }).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'Audit',
    coverage: undefined,
    at: '2026-01-03T00:00:00Z',
    verdict: 'failed',
    failOn: 'error',
    summary: { error: 1, warning: 0, info: 0, baseline: 0, waived: 0 },
    rules: [
      { id: 'missing-owner', title: 'The owner does not exist', findings: 0 },
      {
        id: 'owner-uid-mismatch',
        title: 'The owner was recreated: same name, another uid',
        findings: 1,
      },
    ],
    items: [
      {
        rule: 'owner-uid-mismatch',
        severity: 'error',
        confidence: 'certain',
        status: 'new',
        object: ref('v1', 'ConfigMap', 'web-flags', stale.uid),
        reference: ownedBy(live, { uid: 'uid-old' }),
        message: expect.stringContaining('Deployment web in namespace shop'),
        consequence: publishedConsequences.deleted,
        related: [ref('apps/v1', 'Deployment', 'web', 'uid-new')],
        fix: {
          summary: expect.stringContaining('uid-new'),
          command:
            'kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=web-flags --fix',
        },
        kubernetesRule: 'GC-22.13',
        fingerprint: 'owner-uid-mismatch: configmaps shop/web-flags > Deployment/web',
      },
    ],
    notChecked: [],
    unknown: [],
    staleBaseline: [],
  });
});

describe('a baseline', () => {
  const known = 'missing-owner: configmaps shop/web-flags > Deployment/web';
  test('counts only new findings, and lists resolved ones', () => {
    const other = { ...lost, name: 'other', uid: 'uid-other' };
    const baseline = { ...baselineOf([]), findings: [known, 'self-owner: pods shop/gone'] };
    const report = reportOf([lost, other], { baseline });
    expect(found(report)).toEqual([
      'error new missing-owner: configmaps shop/other > Deployment/web',
      `error baseline ${known}`,
    ]);
    expect([report.verdict, report.staleBaseline]).toEqual([
      'failed',
      ['self-owner: pods shop/gone'],
    ]);
    expect(reportOf([lost], { baseline }).verdict).toBe('passed');
  });

  test('recognises a finding although the objects were recreated', () => {
    const baseline = { ...baselineOf([]), findings: [known] };
    const again = {
      ...lost,
      uid: 'uid-2',
      ownerReferences: [ownedByGone('apps/v1 Deployment web', { uid: 'u' })],
    };
    expect(found(reportOf([again], { baseline }))).toEqual([`error baseline ${known}`]);
  });

  test('recognises a wrong reference whatever else was read beside its object', () => {
    const fingerprint = 'cross-namespace-owner: configmaps shop/web-flags > Deployment/web';
    const elsewhere = deployment('web', {
      namespace: 'other',
      uid: lost.ownerReferences[0]?.uid ?? '',
    });
    const namesake = deployment('web');
    for (const beside of [[], [elsewhere], [namesake]])
      for (const finding of [known, fingerprint]) {
        const baseline = { ...baselineOf([]), findings: [finding] };
        const report = reportOf([lost, ...beside], { baseline });
        expect(report.items.map(({ status }) => status)).toEqual(['baseline']);
        expect(report.staleBaseline).toEqual([]);
      }
    expect(found(reportOf([lost, elsewhere]))).toEqual([`error new ${fingerprint}`]);
  });

  test('counts faults of one name', () => {
    const gone = (uid: string) => ownedByGone('apps/v1 Deployment web', { uid });
    const twice = { ...lost, ownerReferences: [gone('u1'), gone('u2')] };
    expect(found(reportOf([twice]))).toEqual([`error new ${known}`, `error new ${known} #2`]);
  });

  test('is written sorted, each once, and read back', () => {
    const written = baselineOf([{ fingerprint: 'b' }, { fingerprint: 'a' }], ['c', 'a']);
    expect(written.findings).toEqual(['a', 'b', 'c']);
    expect(parseBaseline(JSON.parse(JSON.stringify(written)), 'x')).toEqual(written);
  });

  test.each([null, [], { kind: 'AuditBaseline', apiVersion: 'kubectl-gc/v1', findings: [1] }])(
    'is not made of %j',
    (value) => {
      expect(() => parseBaseline(value, 'base.json')).toThrow('base.json');
    },
  );
});

describe('what was not seen', () => {
  test('an owner that was not looked for', () => {
    const report = reportOf([lost], {}, { unread: ['deployments.apps'] });
    expect([report.verdict, report.items, report.unknown.length]).toEqual(['incomplete', [], 1]);
  });

  test('is no matter to rules that do not look at references', () => {
    const rules = new Set(['finished-job-without-ttl']);
    expect(reportOf([lost], { rules }, { unread: ['deployments.apps'] }).verdict).toBe('passed');
  });

  test('a kind that could not be listed', () => {
    const problem = { reason: 'forbidden', message: 'cannot list pods' } as const;
    const coverage = { problems: [problem] };
    expect(reportOf([], {}, { coverage }).verdict).toBe('incomplete');
    expect(reportOf([], { allowIncomplete: true }, { coverage }).verdict).toBe('passed');
  });

  test('spec and status; it is reported, except where the question was narrowed', () => {
    const graph = graphOf([job('a'), pod('p', { namespace: 'payments' })]);
    const rules = new Set(['finished-job-without-ttl']);
    const given = { ...options, rules };
    const result = audit(graph, given);
    expect(auditReport(graph, result, given).verdict).toBe('incomplete');
    const report = auditReport(graph, result, { ...given, narrowed: true });
    expect([report.verdict, report.notChecked]).toEqual([
      'passed',
      [
        {
          rule: 'finished-job-without-ttl',
          because: 'only metadata of jobs.batch was read',
          objects: 1,
        },
      ],
    ]);
  });
});

import { type AuditOptions, audit } from '../../src/audit/audit.ts';
import type { FailOn } from '../../src/audit/audit-config.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type AuditReport, auditReport } from '../../src/questions/audit/document.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { allRules } from './audit-options.ts';
import {
  clusterRole,
  configMap,
  deployment,
  ownedByGone,
  type SnapshotOptions,
  snapshotOf,
} from './builders.ts';

const gone = ownedByGone('apps/v1 Deployment web');
const role = clusterRole('a:b/c', {
  ownerReferences: [ownedByGone('v1 ConfigMap settings')],
});

/** Findings of every status and severity, from files and from a cluster, with names that mean something elsewhere. */
export const auditedRecords: readonly ObjectRecord[] = [
  deployment('cart'),
  configMap('web-flags', {
    ownerReferences: [gone],
    place: { path: './shop/<b>.yaml', line: 7 },
  }),
  configMap('known', { ownerReferences: [gone] }),
  configMap('waived', {
    ownerReferences: [gone],
    annotations: {
      'kubectl-gc.io/ignore': 'all',
      'kubectl-gc.io/ignore-reason': 'so "it" is & stays',
    },
  }),
  configMap('</script><b>|`x`', { ownerReferences: [{ ...gone, name: 'a\n::error::b' }] }),
  role,
  configMap('unread', { ownerReferences: [ownedByGone('v1 Secret hidden')] }),
];

/** The report about them. */
export function reportOf(
  records: readonly ObjectRecord[] = auditedRecords,
  snapshot: SnapshotOptions = {
    unread: ['secrets'],
    coverage: { problems: [{ reason: 'forbidden', message: 'secrets: "no" & <never>' }] },
  },
  failOn: FailOn = 'error',
): AuditReport {
  const options: AuditOptions = {
    ...allRules('2026-01-03T00:00:00Z'),
    rules: new Set(['missing-owner', 'namespaced-owner-of-cluster-object', 'self-owner']),
    failOn,
    baseline: {
      apiVersion: 'kubectl-gc/v1',
      kind: 'AuditBaseline',
      findings: ['missing-owner: configmaps shop/known > Deployment/web'],
    },
  };
  const graph = buildGraph(snapshotOf(records, snapshot));
  return auditReport(graph, audit(graph, options), options);
}

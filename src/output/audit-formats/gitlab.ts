import { ofCluster } from '../../snapshot/coverage.ts';
import type { AuditReport, ClusterAudit } from '../documents/audit.ts';
import { jsonText } from '../printable.ts';
import { gapsOf, locationOf, sentenceOf, titleOf } from './finding-text.ts';

const severities = { error: 'critical', warning: 'major', info: 'info' } as const;

/** A Code Quality report of GitLab: the findings that count. */
export function auditGitlab(report: AuditReport): string {
  const issues = report.items
    .filter(({ status }) => status === 'new')
    .map((item) => {
      const { path, line } = locationOf(item);
      return {
        description: `${titleOf(item)}: ${sentenceOf(item)}`,
        check_name: item.rule,
        fingerprint: ofCluster(item.cluster, item.fingerprint),
        severity: severities[item.severity],
        location: { path, lines: { begin: line } },
      };
    });
  return `${jsonText([...issues, ...(report.clusters ?? []).flatMap(notRead)], 2)}\n`;
}

/** The report has no place for what was not read, and a cluster without issues would pass for clean. */
function notRead({ context, isRead, report }: ClusterAudit) {
  if (isRead) return [];
  const path = ['clusters', encodeURIComponent(context.toWellFormed())].join('/');
  const because = gapsOf(report).join('; ');
  return [
    {
      description: `cluster ${context} was not read: ${because}`,
      check_name: 'coverage',
      fingerprint: ofCluster(context, 'coverage'),
      severity: severities.warning,
      location: { path, lines: { begin: 1 } },
    },
  ];
}

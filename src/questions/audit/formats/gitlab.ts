import { fullNameOf } from '../../../kube/object-reference.ts';
import { jsonText } from '../../../syntax/json-text.ts';
import type { AuditReport } from '../document.ts';
import { isNewFinding, locationOf, sentenceOf } from './finding-text.ts';

const severities = { error: 'critical', warning: 'major', info: 'info' } as const;

/** A Code Quality report of GitLab: the findings that count. */
export function auditGitlab(report: AuditReport): string {
  const issues = report.items.filter(isNewFinding).map((item) => {
    const { path, line } = locationOf(item);
    return {
      description: `${fullNameOf(item.object)}: ${sentenceOf(item)}`,
      check_name: item.rule,
      fingerprint: item.fingerprint,
      severity: severities[item.severity],
      location: { path, lines: { begin: line } },
    };
  });
  return `${jsonText(issues, 2)}\n`;
}

import type { AuditReport } from '../documents/audit.ts';
import type { RenderOptions } from '../style.ts';

/** An audit in the formats that only audits have; each loads on first use. */
export async function auditText(
  report: AuditReport,
  format: string,
  options: RenderOptions,
): Promise<string> {
  switch (format) {
    case 'sarif': {
      const { auditSarif } = await import('./sarif.ts');
      return auditSarif(report);
    }
    case 'junit': {
      const { auditJunit } = await import('./junit.ts');
      return auditJunit(report);
    }
    case 'github': {
      const { auditGithub } = await import('./github.ts');
      return auditGithub(report);
    }
    case 'gitlab': {
      const { auditGitlab } = await import('./gitlab.ts');
      return auditGitlab(report);
    }
    case 'markdown': {
      const { auditMarkdown } = await import('./markdown.ts');
      return auditMarkdown(report);
    }
    case 'html': {
      const { auditHtml } = await import('./html.ts');
      return auditHtml(report);
    }
    case 'prometheus': {
      const { auditPrometheus } = await import('./prometheus.ts');
      return auditPrometheus(report);
    }
    default: {
      const { auditGroups, auditTable } = await import('./table.ts');
      const wide = format === 'wide';
      const { groupBy } = options;
      return groupBy
        ? auditGroups(report, options, wide, groupBy)
        : auditTable(report, options, wide);
    }
  }
}

import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { AuditReport } from '../../questions/audit/document.ts';
import { passedOverLine } from '../../questions/audit/formats/finding-text.ts';
import type { ChosenAudit } from './audit-options.ts';

/** `where`: the part of a cluster that was checked, in words. */
export function auditRemarks(
  report: AuditReport,
  { configuration, inapplicableRules, againstCluster }: ChosenAudit,
  where?: string,
): string[] {
  const { notChecked, unknown, summary, staleBaseline, verdict, items, passedOver = [] } = report;
  const { error, warning, info, baseline, waived } = summary;
  const lines: string[] = [];
  if (configuration) {
    const { path, skippedRules } = configuration;
    const less = skippedRules.length > 0 ? `: ${counted(skippedRules.length, 'rule')} not run` : '';
    lines.push(`Configured by ${path}${less}.`);
  }
  if (inapplicableRules.length > 0) {
    const what = counted(inapplicableRules.length, 'rule');
    const how = againstCluster ? 'run them without --against-cluster' : 'add --against-cluster';
    lines.push(`${what} of the configuration not run (${how}): ${firstOf(inapplicableRules)}.`);
  }
  if (passedOver.length > 0) lines.push(passedOverLine(passedOver));
  for (const { rule, because, objects, optional } of notChecked) {
    lines.push(
      `${optional ? '' : 'Warning: '}${rule}: ${counted(objects, 'object')} not checked: ${because}`,
    );
  }
  if (unknown.length > 0) {
    const which = 'could not be judged, as their owners were not read';
    lines.push(`Warning: ${counted(unknown.length, 'reference')} ${which}; -o json lists them.`);
  }
  for (const { lapsedWaiver, fingerprint } of items) {
    if (!lapsedWaiver) continue;
    const { by, because } = lapsedWaiver;
    lines.push(`Warning: the ${by} does not waive "${fingerprint}" any more: ${because}`);
  }
  const found = [counted(error, 'error'), counted(warning, 'warning'), `${info} info`];
  if (baseline > 0) found.push(`${baseline} in the baseline`);
  if (waived > 0) found.push(`${waived} waived`);
  if (items.length > 0) {
    const all = [counted(items.length, 'finding'), where].filter((part) => part !== undefined);
    lines.push(`${all.join(' ')}: ${found.join(', ')}.`);
  }
  if (staleBaseline.length > 0) {
    const [entries, it] =
      staleBaseline.length === 1 ? ['1 entry', 'it'] : [`${staleBaseline.length} entries`, 'them'];
    lines.push(`${entries} of the baseline did not occur again; --update-baseline drops ${it}.`);
  }
  if (verdict === 'incomplete') {
    lines.push(
      'Not everything could be read, so this is not clean. --allow-incomplete accepts it.',
    );
  }
  return lines;
}

import { type AuditOptions, audit } from '../../audit/audit.ts';
import { findingsOfFiles, findingsOfManifests } from '../../audit/unapplied-manifests.ts';
import { auditReport } from '../../output/documents/audit.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf } from '../input/clock.ts';
import type { FoundSettings } from '../settings/find-settings.ts';
import type { ChosenAudit } from './audit-options.ts';
import type { Audited } from './audited-snapshot.ts';

export function judgeAudited(
  { snapshot, narrowed, deletions, against }: Audited,
  chosen: ChosenAudit,
  { settings, source }: FoundSettings,
  question: Pick<AuditOptions, 'baseline' | 'partial'> & Partial<AuditOptions>,
  flags: CommonFlags,
) {
  const options = {
    scope: () => true,
    ...chosen,
    ...question,
    now: nowOf(flags, snapshot),
    baseline: chosen.updateBaseline ? undefined : question.baseline,
    settings,
    settingsFrom: source === 'default' ? ('default' as const) : ('read' as const),
    narrowed,
    deletions,
  };
  const graph = buildGraph(snapshot);
  const judged = audit(graph, options);
  const { findings, ...rest } = against ? findingsOfManifests(judged) : findingsOfFiles(judged);
  return { report: auditReport(graph, { findings, ...rest }, options), findings };
}

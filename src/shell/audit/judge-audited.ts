import { audit } from '../../audit/audit.ts';
import type { Baseline } from '../../audit/baseline.ts';
import { findingsOfFiles, findingsOfManifests } from '../../audit/unapplied-manifests.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { CommandPlace } from '../../kube/shell-command.ts';
import { auditReport } from '../../output/documents/audit.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf } from '../input/clock.ts';
import type { FoundSettings } from '../settings/find-settings.ts';
import type { ChosenAudit } from './audit-options.ts';
import type { Audited } from './audited-snapshot.ts';

/** What is audited of all that was read, and what it is compared with. */
interface AuditQuestion {
  readonly scope?: (record: ObjectRecord) => boolean;
  readonly baseline: Baseline | undefined;
  /** Only a part was asked for. */
  readonly partial?: boolean;
  /** The manifests are compared with a cluster. */
  readonly against?: boolean;
  readonly found: FoundSettings;
  /** Where the commands of fixes are for. */
  readonly place?: CommandPlace;
}

/** Runs the chosen rules on what was read. */
export function judgeAudited(
  { snapshot, narrowed, deletions }: Audited,
  chosen: ChosenAudit,
  question: AuditQuestion,
  flags: CommonFlags,
) {
  const { scope = () => true, baseline, partial = false, against = false, found, place } = question;
  const options = {
    ...chosen,
    now: nowOf(flags, snapshot),
    scope,
    baseline: chosen.updateBaseline ? undefined : baseline,
    partial,
    settings: found.settings,
    settingsFrom: found.source === 'default' ? ('default' as const) : ('read' as const),
    narrowed,
    deletions,
    ...(place && { place }),
  };
  const graph = buildGraph(snapshot);
  const judged = audit(graph, options);
  const { findings, ...rest } = against ? findingsOfManifests(judged) : findingsOfFiles(judged);
  return { report: auditReport(graph, { findings, ...rest }, options), findings };
}

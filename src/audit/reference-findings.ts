import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { addressOf, shellCommand } from '../kube/shell-command.ts';
import type { Fix, Severity } from '../rules/audit-rule.ts';
import { fixReferencesOf } from '../rules/commands.ts';
import { findInvalidReferences } from '../rules/find-invalid-references.ts';
import type { Consequence, Finding, Rule } from '../rules/rule.ts';
import type { AuditFinding } from './audit-finding.ts';

/** The wrong references as an audit reports them: how bad one is follows from what the collector does. */
export function referenceFindings(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean,
  rules: readonly Rule[],
): Omit<AuditFinding, 'fingerprint'>[] {
  return findInvalidReferences(graph, scope, rules).map((finding) => {
    const { rule, object, reference, because, consequences, gcRule } = finding;
    return {
      rule,
      severity: severityOf(rule, consequences),
      confidence: 'certain',
      object,
      reference,
      message: because,
      consequence: consequences.join(', '),
      related: relatedTo(graph, finding),
      fix: fixOf(finding),
      kubernetesRule: gcRule,
    };
  });
}

const bySeverity: Readonly<Record<Consequence, Severity>> = {
  'deleted on the next pass': 'error',
  'blocks a foreground deletion for ever': 'error',
  'reference removed': 'warning',
  'kept only by another owner': 'warning',
  'never collected': 'warning',
  'already being deleted': 'info',
  'unknown because an API could not be read': 'info',
  none: 'info',
};

function severityOf(rule: string, consequences: readonly Consequence[]): Severity {
  const own = consequences.map((consequence) => bySeverity[consequence]);
  if (own.includes('error')) return 'error';
  // The collector does not mind them, but no controller can update the object any more.
  return own.includes('warning') || rule === 'several-controllers' ? 'warning' : 'info';
}

/** What has the uid that the reference names, and what has its name. */
function relatedTo({ withUid }: Graph, { reference, repair, object }: Finding): ObjectRecord[] {
  const uids = [reference?.uid, ...repair.edits.map(({ to }) => to?.uid)];
  const owners = uids.flatMap((uid) => (uid === undefined ? [] : (withUid(uid) ?? [])));
  return [...new Set(owners)].filter((owner) => owner !== object);
}

function fixOf({ rule, object, repair }: Finding): Fix {
  const { summary, edits } = repair;
  if (rule === 'orphaned-job-pods') {
    return {
      summary: 'delete the pod',
      command: shellCommand`kubectl delete ${addressOf(object)}`,
    };
  }
  if (edits.length === 0) return { summary };
  return {
    summary,
    command: fixReferencesOf(object),
  };
}

import { type Judgement, judge } from '../controllers/garbage-collector/judge.ts';
import { compareText } from '../kube/compare-text.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { isMonitored } from '../kube/resource-type.ts';
import { addressOf, shellCommand } from '../kube/shell-command.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import { fixReferencesCommandOf } from './fixes.ts';
import type { AuditFinding, Fix, Severity } from './rules/audit-rule.ts';
import type { Consequence, Finding, Rule, Violation } from './rules/reference-rule.ts';
import { referenceRules } from './rules/reference-rules.ts';

/**
 * Every wrong reference among the objects of `scope` (default: all), each with what the garbage
 * collector does because of it. Sorted by namespace, kind, name, rule.
 */
export function findInvalidReferences(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean = () => true,
  rules: readonly Rule[] = referenceRules,
): Finding[] {
  const findings: Finding[] = [];
  for (const record of graph.snapshot.records) {
    if (!scope(record)) continue;
    if (record.ownerReferences.length === 0) {
      for (const rule of rules) {
        for (const violation of rule.checkUnowned?.(graph, record) ?? []) {
          findings.push(findingOf(graph, rule, record, violation));
        }
      }
      continue;
    }
    const judgement = judge(graph, record);
    for (const rule of rules) {
      for (const violation of rule.check?.({ graph, record, judgement }) ?? []) {
        findings.push(findingOf(graph, rule, record, violation, judgement));
      }
    }
  }
  for (const rule of rules) {
    for (const { record, violation } of rule.checkGraph?.(graph) ?? []) {
      if (scope(record)) findings.push(findingOf(graph, rule, record, violation));
    }
  }
  return findings.sort(byContent);
}

function findingOf(
  graph: Graph,
  rule: Rule,
  object: ObjectRecord,
  violation: Violation,
  judgement?: Judgement,
): Finding {
  const reference =
    violation.index === undefined ? undefined : object.ownerReferences[violation.index];
  const consequences =
    violation.consequences ??
    (judgement ? consequencesOf(graph, judgement, violation.index) : ['none' as const]);
  return {
    rule: rule.id,
    object,
    reference,
    because: violation.because,
    consequences,
    gcRule: violation.gcRule ?? judgement?.rule ?? '',
    fix: violation.fix,
  };
}

function consequencesOf(
  graph: Graph,
  judgement: Judgement,
  index: number | undefined,
): readonly Consequence[] {
  const wrong = index === undefined ? undefined : judgement.references[index];
  const action = actionConsequence(judgement, wrong?.class);
  return judgement.action === 'frozen' && blocksAnOwner(graph, judgement)
    ? [action, 'blocks a foreground deletion for ever']
    : [action];
}

/** Blocking goes by uid, so also through a reference that is not honoured (GC-5, GC-43). */
function blocksAnOwner(graph: Graph, { references }: Judgement): boolean {
  return references.some(({ reference: { uid, blockOwnerDeletion } }) => {
    const owner = blockOwnerDeletion === true ? graph.withUid(uid) : undefined;
    return owner !== undefined && isMonitored(owner.type);
  });
}

function actionConsequence(
  { action, references }: Judgement,
  wrong: string | undefined,
): Consequence {
  switch (action) {
    case 'delete':
      return 'deleted on the next pass';
    case 'patch':
      return wrong === 'solid' ? 'none' : 'reference removed';
    case 'frozen':
    case 'ignored':
      return 'never collected';
    case 'terminating':
      return 'already being deleted';
    case 'unknown':
      return references.some(({ class: cls }) => cls === 'solid')
        ? 'kept only by another owner'
        : 'unknown because an API could not be read';
    default:
      return 'none';
  }
}

function byContent(a: Finding, b: Finding): number {
  return (
    compareText(a.object.namespace, b.object.namespace) ||
    compareText(a.object.type.kind, b.object.type.kind) ||
    compareText(a.object.name, b.object.name) ||
    compareText(a.rule, b.rule) ||
    compareText(a.reference?.uid ?? '', b.reference?.uid ?? '')
  );
}

/**
 * The wrong references as an audit reports them: how bad one is follows from what the garbage
 * collector does.
 */
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
  // The garbage collector ignores the fault, but no controller can update the object any more.
  return own.includes('warning') || rule === 'several-controllers' ? 'warning' : 'info';
}

/** What has the uid that the reference names, and what has its name. */
function relatedTo({ withUid }: Graph, { reference, fix, object }: Finding): ObjectRecord[] {
  const uids = [reference?.uid, ...fix.edits.map(({ to }) => to?.uid)];
  const owners = uids.flatMap((uid) => (uid === undefined ? [] : (withUid(uid) ?? [])));
  return [...new Set(owners)].filter((owner) => owner !== object);
}

function fixOf({ rule, object, fix }: Finding): Fix {
  const { summary, edits } = fix;
  if (rule === 'orphaned-job-pods') {
    return {
      summary: 'delete the pod',
      command: shellCommand`kubectl delete ${addressOf(object)}`,
    };
  }
  if (edits.length === 0) return { summary };
  return {
    summary,
    command: fixReferencesCommandOf(object),
  };
}

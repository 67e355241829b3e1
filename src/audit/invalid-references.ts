import type { Judgement } from '../controllers/garbage-collector/judge.ts';
import { judgementsIn } from '../controllers/garbage-collector/judgements.ts';
import { compareText } from '../kube/names.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import { isMonitored } from '../kube/resource-type.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import { fixReferencesCommandOf } from './fixes.ts';
import { type Severity, severities } from './rules/audit-rule.ts';
import type {
  Consequence,
  Finding,
  ReferenceEdit,
  Rule,
  Violation,
} from './rules/reference-rule.ts';
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
    if (record.ownerReferences.length > 0 || !scope(record)) continue;
    for (const rule of rules) {
      for (const violation of rule.checkUnowned?.(graph, record) ?? []) {
        findings.push(findingOf(graph, rule, record, violation));
      }
    }
  }
  for (const [record, judgement] of judgementsIn(graph)) {
    if (!scope(record)) continue;
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
  const { index, message, fix, severity, kubernetesRule } = violation;
  const reference = index === undefined ? undefined : object.ownerReferences[index];
  const consequences =
    violation.consequences ??
    (judgement ? consequencesOf(graph, judgement, index) : ['none' as const]);
  const isOffered = fix.edits.length > 0 || fix.choices !== undefined;
  return {
    rule: rule.id,
    severity: severityOf(consequences, severity),
    confidence: 'certain',
    object,
    reference,
    message,
    consequences,
    consequence: consequences.join(', '),
    related: relatedTo(graph, object, reference, fix.edits),
    fix: isOffered ? { ...fix, command: fixReferencesCommandOf(object) } : fix,
    kubernetesRule: kubernetesRule ?? judgement?.rule ?? '',
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

/** How bad a finding is follows from what the garbage collector does. */
function severityOf(consequences: readonly Consequence[], least: Severity = 'info'): Severity {
  const all = [least, ...consequences.map((consequence) => bySeverity[consequence])];
  return severities.find((severity) => all.includes(severity)) ?? least;
}

/** What has the uid that the reference names, and what has its name. */
function relatedTo(
  { withUid }: Graph,
  object: ObjectRecord,
  reference: OwnerReference | undefined,
  edits: readonly ReferenceEdit[],
): ObjectRecord[] {
  const uids = [reference?.uid, ...edits.map(({ to }) => to?.uid)];
  const owners = uids.flatMap((uid) => (uid === undefined ? [] : (withUid(uid) ?? [])));
  return [...new Set(owners)].filter((owner) => owner !== object);
}

import { type Judgement, judge } from '../collectors/garbage-collector/judge.ts';
import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { isMonitored } from '../kube/resource-type.ts';
import { referenceRules } from './index.ts';
import type { Consequence, Finding, Rule, Violation } from './rule.ts';

/**
 * Every wrong reference among the objects of `scope` (default: all), each with what the collector
 * does because of it. Sorted by namespace, kind, name, rule.
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
    repair: violation.repair,
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
    compare(a.object.namespace, b.object.namespace) ||
    compare(a.object.type.kind, b.object.type.kind) ||
    compare(a.object.name, b.object.name) ||
    compare(a.rule, b.rule) ||
    compare(a.reference?.uid ?? '', b.reference?.uid ?? '')
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

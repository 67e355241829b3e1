import { compareText } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import type { Finding, Rule, Violation } from './rule.ts';
import type { ReferenceFinding, ReferenceRule } from './rules/reference-findings.ts';
import { referenceRules } from './rules/reference-rules.ts';

/**
 * Every wrong reference among the objects of `scope` (default: all), each with what the garbage
 * collector does because of it. Sorted by namespace, kind, name, rule.
 */
export function findInvalidReferences(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean = () => true,
  rules: readonly ReferenceRule[] = referenceRules,
): ReferenceFinding[] {
  return rules
    .flatMap((rule) => findingsOf(rule, rule.check({ graph }), scope))
    .sort(compareFindings);
}

/** The same without what there is to say of each, which takes longer to find. */
export function findFaultyObjects(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean,
): { readonly rule: string; readonly object: ObjectRecord }[] {
  return referenceRules
    .flatMap(({ id, find }) =>
      find(graph).flatMap(({ object }) => (scope(object) ? { rule: id, object } : [])),
    )
    .sort(byObjectAndRule);
}

/** What a rule reports of the objects of `scope`; what a violation leaves out is the rule's own. */
export function findingsOf<V extends Violation>(
  { id, severity, consequence }: Rule,
  violations: readonly V[],
  scope: (record: ObjectRecord) => boolean,
): (Finding & V)[] {
  const own = {
    rule: id,
    severity: severity === 'depends' ? ('info' as const) : severity,
    confidence: 'certain' as const,
    reference: undefined,
    consequence,
    related: [],
    kubernetesRule: '',
  };
  return violations
    .filter(({ object }) => scope(object))
    .map((violation) => ({ ...own, ...violation }));
}

/** By namespace, kind, name, rule and owner. */
export function compareFindings(a: Finding, b: Finding): number {
  return byObjectAndRule(a, b) || compareText(a.reference?.uid ?? '', b.reference?.uid ?? '');
}

function byObjectAndRule(
  a: Pick<Finding, 'object' | 'rule'>,
  b: Pick<Finding, 'object' | 'rule'>,
): number {
  return (
    compareText(a.object.namespace, b.object.namespace) ||
    compareText(a.object.type.kind, b.object.type.kind) ||
    compareText(a.object.name, b.object.name) ||
    compareText(a.rule, b.rule)
  );
}

import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { AuditRule, AuditView } from '../rules/audit-rule.ts';
import type { AuditFinding } from './audit-finding.ts';

/** A rule that could not decide about some objects, and why. */
export interface NotChecked {
  readonly rule: string;
  readonly because: string;
  /** Number of objects. */
  readonly objects: number;
}

export interface AuditInput {
  readonly graph: Graph;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly terminatedPodGCThreshold: number;
  /** Which objects are reported; looked at are all. */
  readonly scope: (record: ObjectRecord) => boolean;
}

/** What rules say about a cluster, and about how many of its objects they could not say anything. */
export function runRules(
  rules: readonly AuditRule[],
  input: AuditInput,
): { readonly findings: Omit<AuditFinding, 'fingerprint'>[]; readonly notChecked: NotChecked[] } {
  const byResource = recordsByResource(input.graph);
  const notChecked: NotChecked[] = [];
  const findings = rules.flatMap((rule) => {
    const view = viewFor(rule, input, byResource, notChecked);
    return rule.check(view).flatMap((violation) => {
      const { object, message, fix, related = [] } = violation;
      if (!input.scope(object)) return [];
      const { severity, confidence = 'certain', consequence } = { ...rule, ...violation };
      const head = { rule: rule.id, severity, confidence, object, reference: undefined };
      return [{ ...head, message, consequence, related, fix, kubernetesRule: '' }];
    });
  });
  return { findings, notChecked };
}

type ByResource = ReadonlyMap<string, readonly ObjectRecord[]>;

function recordsByResource({ snapshot }: Graph): ByResource {
  const byResource = new Map<string, ObjectRecord[]>();
  for (const record of snapshot.records) {
    const resource = groupResourceOf(record.type);
    const list = byResource.get(resource);
    if (list) list.push(record);
    else byResource.set(resource, [record]);
  }
  return byResource;
}

/** A rule sees only those of its subjects that it can decide about; the others are counted. */
function viewFor(
  rule: AuditRule,
  { graph, now, terminatedPodGCThreshold, scope }: AuditInput,
  byResource: ByResource,
  notChecked: NotChecked[],
): AuditView {
  const decidable = new Map<string, readonly ObjectRecord[]>();
  const missing = new Map<string, number>();
  const doubt = doubtsOf(rule, graph);
  for (const resource of rule.subjects) {
    const records = (byResource.get(resource) ?? []).filter((record) => {
      const because = doubt(record);
      if (because === undefined) return true;
      if (scope(record)) missing.set(because, (missing.get(because) ?? 0) + 1);
      return false;
    });
    decidable.set(resource, records);
  }
  for (const [because, objects] of missing) notChecked.push({ rule: rule.id, because, objects });
  const of = (resource: string) => decidable.get(resource) ?? byResource.get(resource) ?? [];
  return { graph, now, terminatedPodGCThreshold, of };
}

/** Why a rule cannot decide about an object; undefined when it can. */
function doubtsOf(
  { needs = [], readsFacts }: AuditRule,
  { snapshot: { types }, coverage }: Graph,
): (record: ObjectRecord) => string | undefined {
  return ({ facts, type, namespace }) => {
    if (readsFacts && !facts) return `only metadata of ${groupResourceOf(type)} was read`;
    for (const resource of needs) {
      const [needed] = types.versions(resource);
      // A kind that nobody serves has no objects.
      if (!needed) continue;
      const where = needed.namespaced ? namespace : '';
      if (!coverage.coversKind(needed, where)) {
        return `${resource}${where === '' ? '' : ` in ${where}`} were not read`;
      }
    }
    return undefined;
  };
}

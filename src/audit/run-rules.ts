import { viewOf } from '../controllers/cluster-view.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import type { Link } from '../why/chain.ts';
import type { AuditFinding, AuditRule, AuditView, SeenKubelets } from './rules/audit-rule.ts';
import { stuckDeletionsIn } from './rules/stuck-deletions.ts';

/** A rule that could not decide about some objects, and why. */
export interface NotChecked {
  readonly rule: string;
  readonly because: string;
  /** Number of objects. */
  readonly objects: number;
  /** The audit is complete without it. */
  readonly optional?: true;
}

export interface AuditInput extends Pick<AuditView, 'graph' | 'now' | 'settings' | 'settingsFrom'> {
  /** None by default. */
  readonly kubelets?: SeenKubelets | undefined;
  /** What the cluster itself was asked about objects that are being deleted; the others are judged by what was read. */
  readonly deletions?: ReadonlyMap<ObjectRecord, Link> | undefined;
  /** Which objects are reported; all are looked at. */
  readonly scope: (record: ObjectRecord) => boolean;
}

/** What rules find in a cluster, and how many of its objects they could not check. */
export function runRules(
  rules: readonly AuditRule[],
  input: AuditInput,
): { readonly findings: Omit<AuditFinding, 'fingerprint'>[]; readonly notChecked: NotChecked[] } {
  const byResource = Map.groupBy(input.graph.snapshot.records, ({ type }) => groupResourceOf(type));
  const cluster = viewOf(input.graph.snapshot);
  const { kubelets = { read: [], unread: [] } } = input;
  const shared = {
    ...input,
    cluster,
    kubelets,
    holdupOf: stuckDeletionsIn(input.graph, input.now, input.deletions),
  };
  const notChecked: NotChecked[] = [];
  const findings = rules.flatMap((rule) => {
    const gaps = new Gaps(input.scope);
    const view = viewFor(rule, shared, byResource, gaps);
    const violations = rule.check(view);
    notChecked.push(...gaps.of(rule));
    return violations.flatMap((violation) => {
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

/** A rule sees only those of its subjects that it can decide about; the others are counted. */
function viewFor(
  rule: AuditRule,
  { scope: _, ...view }: AuditInput & Pick<AuditView, 'cluster' | 'kubelets' | 'holdupOf'>,
  byResource: ByResource,
  gaps: Gaps,
): AuditView {
  const decidable = new Map<string, readonly ObjectRecord[]>();
  const doubt = doubtsOf(rule, view.graph);
  for (const resource of rule.subjects) {
    const records = (byResource.get(resource) ?? []).filter((record) => {
      const reason = doubt(record);
      if (reason === undefined) return true;
      gaps.add(record, reason);
      return false;
    });
    decidable.set(resource, records);
  }
  const of = (resource: string) => decidable.get(resource) ?? byResource.get(resource) ?? [];
  return { ...view, of, cannotTell: (record, reason) => gaps.add(record, reason) };
}

/** The objects that a rule cannot decide about, counted by the reason. */
class Gaps {
  readonly #scope: (record: ObjectRecord) => boolean;
  readonly #objects = new Map<string, number>();

  constructor(scope: (record: ObjectRecord) => boolean) {
    this.#scope = scope;
  }

  add(record: ObjectRecord, reason: string): void {
    if (this.#scope(record)) this.#objects.set(reason, (this.#objects.get(reason) ?? 0) + 1);
  }

  of({ id, isOptional }: AuditRule): NotChecked[] {
    return [...this.#objects]
      .map(([because, objects]) => ({
        rule: id,
        because,
        objects,
        ...(isOptional && { optional: true as const }),
      }))
      .sort((a, b) => (a.because < b.because ? -1 : 1));
  }
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
      // A kind that is not served has no objects.
      if (!needed) continue;
      const where = needed.namespaced ? namespace : '';
      if (!coverage.coversKind(needed, where)) {
        return `${resource}${where === '' ? '' : ` in ${where}`} were not read`;
      }
    }
    return undefined;
  };
}

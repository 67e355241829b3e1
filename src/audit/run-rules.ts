import { type ByKind, byKind, viewOf } from '../controllers/cluster-view.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { compareFindings, findingsOf } from './invalid-references.ts';
import type { Finding, Rule, RuleInput } from './rule.ts';

/** A rule that could not decide about some objects, and why. */
export interface NotChecked {
  readonly rule: string;
  readonly because: string;
  /** Number of objects. */
  readonly objects: number;
  /** The audit is complete without it. */
  readonly optional?: true;
}

export interface AuditInput
  extends Pick<RuleInput, 'graph' | 'now' | 'settings' | 'settingsFrom' | 'deletions'> {
  /** Which objects are reported; all are looked at. */
  readonly scope: (record: ObjectRecord) => boolean;
}

/** What rules find, in the order of the objects, and how many of these they could not check. */
export function runRules(
  rules: readonly Rule[],
  { scope, ...input }: AuditInput,
): { readonly findings: Finding[]; readonly notChecked: NotChecked[] } {
  const objects = byKind(input.graph.snapshot.records);
  const shared = { ...input, cluster: viewOf(input.graph.snapshot) };
  const notChecked: NotChecked[] = [];
  // What looks at spec and status of its subjects finds nothing where none of them is there.
  const hasWork = ({ readsFacts, subjects = [] }: Rule) =>
    !readsFacts || subjects.some((resource) => objects.all(resource).length > 0);
  const findings = rules.filter(hasWork).flatMap((rule) => {
    const gaps = new Gaps(scope);
    const found = findingsOf(rule, rule.check(viewFor(rule, shared, objects, gaps)), scope);
    notChecked.push(...gaps.of(rule));
    return found;
  });
  return { findings: findings.sort(compareFindings), notChecked };
}

/** A rule sees only those of its subjects that it can decide about; the others are counted. */
function viewFor(
  rule: Rule,
  shared: Omit<RuleInput, 'of' | 'cannotTell'>,
  objects: ByKind,
  gaps: Gaps,
): RuleInput {
  const decidable = new Map<string, readonly ObjectRecord[]>();
  for (const resource of rule.subjects ?? []) {
    const records = objects.all(resource).filter((record) => {
      if (!rule.readsFacts || record.facts) return true;
      gaps.add(record, `only metadata of ${resource} was read`);
      return false;
    });
    decidable.set(resource, records);
  }
  const of = (resource: string) => decidable.get(resource) ?? objects.all(resource);
  return { ...shared, of, cannotTell: (record, reason) => gaps.add(record, reason) };
}

/** The objects that a rule cannot decide about, counted by the reason. */
class Gaps {
  readonly #scope: (record: ObjectRecord) => boolean;
  readonly #objects = new Map<string, number>();
  /** Reasons that concern an object in a cluster: a manifest alone does not show them. */
  readonly #ofCluster = new Set<string>();

  constructor(scope: (record: ObjectRecord) => boolean) {
    this.#scope = scope;
  }

  add(record: ObjectRecord, reason: string): void {
    if (!this.#scope(record)) return;
    this.#objects.set(reason, (this.#objects.get(reason) ?? 0) + 1);
    if (record.uid !== '') this.#ofCluster.add(reason);
  }

  of({ id }: Rule): NotChecked[] {
    return [...this.#objects]
      .map(([because, objects]) => ({
        rule: id,
        because,
        objects,
        ...(!this.#ofCluster.has(because) && { optional: true as const }),
      }))
      .sort((a, b) => (a.because < b.because ? -1 : 1));
  }
}

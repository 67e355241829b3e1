import type { ByKind } from '../controllers/cluster-view.ts';
import { timeIn } from '../controllers/decision.ts';
import { type LabelSelector, matchesSelector } from '../kube/label-selector.ts';
import { isBeingDeleted, type ObjectFacts, type ObjectRecord } from '../kube/object-record.ts';
import { isNamespace } from '../kube/well-known-kinds.ts';
import { coversKind, selectorsTake } from './admission-rule.ts';
import { nextRun } from './cron-schedule.ts';

/** The kinds of Kyverno whose policies delete objects by a schedule, and the rule of each (LIFE-5, LIFE-6). */
const rulesByKind = {
  'cleanuppolicies.kyverno.io': 'LIFE-5',
  'clustercleanuppolicies.kyverno.io': 'LIFE-5',
  'deletingpolicies.policies.kyverno.io': 'LIFE-6',
  'namespaceddeletingpolicies.policies.kyverno.io': 'LIFE-6',
} as const;

export const scheduledPolicies: readonly string[] = Object.keys(rulesByKind);

/** A deletion by a policy at its next run, in epoch milliseconds. */
export interface ScheduledDeletion {
  readonly object: ObjectRecord;
  readonly at: number;
  readonly because: string;
  readonly rule: string;
}

/**
 * What policies of Kyverno select, and when they run next. Which of it they delete is open: conditions are not evaluated, and
 * a ConfigMap excludes kinds and namespaces.
 */
export function scheduledDeletions(view: ByKind, now: number): ScheduledDeletion[] {
  return Object.entries(rulesByKind).flatMap(([kind, rule]) =>
    view.all(kind).flatMap((policy) => {
      const { schedule } = policy.facts ?? {};
      if (schedule === undefined || isBeingDeleted(policy)) return [];
      const because = reasonOfPolicy(policy, schedule);
      // Without a time that can be read, it may be any.
      const at = runOf(policy, schedule) ?? now;
      const candidates = policy.namespace === '' ? view.records() : recordsIn(view, policy);
      return candidates
        .filter((one) => !isBeingDeleted(one) && selects(policy, one, view))
        .map((object) => ({ object, at, because, rule }));
    }),
  );
}

/** Does a policy go by the labels of an object's namespace? */
export function selectsNamespaces({ facts }: ObjectRecord): boolean {
  const { cleanupMatch, cleanupExclude, matchConstraints } = facts ?? {};
  return (
    matchConstraints?.namespaceSelector !== undefined ||
    [cleanupMatch, cleanupExclude].some((filters) =>
      [...(filters?.any ?? []), ...(filters?.all ?? [])].some(
        ({ resources }) => resources?.namespaceSelector !== undefined,
      ),
    )
  );
}

function recordsIn(view: ByKind, { namespace }: ObjectRecord): readonly ObjectRecord[] {
  return view.records().filter((one) => one.namespace === namespace);
}

/** GetExecutionTime of both kinds: counted from the last run, else from the creation; a run that was missed is made up for. */
function runOf({ facts, creationTimestamp }: ObjectRecord, schedule: string): number | undefined {
  return nextRun(schedule, timeIn(facts?.lastExecution ?? creationTimestamp));
}

function reasonOfPolicy({ type, name, facts }: ObjectRecord, schedule: string): string {
  const { hasConditions, deletingConditions = [] } = facts ?? {};
  const isLimited = hasConditions === true || deletingConditions.length > 0;
  const condition = isLimited ? 'it meets the conditions and Kyverno runs' : 'Kyverno runs here';
  return `${type.kind} ${name} (${schedule}) selects it; deleted if ${condition}`;
}

function selects({ facts = {} }: ObjectRecord, object: ObjectRecord, view: ByKind): boolean {
  const { cleanupMatch, cleanupExclude, matchConstraints } = facts;
  const place = isNamespace(object) ? object : view.at('namespaces', '', object.namespace);
  if (matchConstraints) return constraintsTake(matchConstraints, object, place);
  const { any = [], all = [] } = cleanupMatch ?? {};
  const isListed = [...any, ...all].some(({ resources }) => namesKind(resources?.kinds, object));
  const matches = (filters: Filters | undefined, unknown: boolean) =>
    passes(filters, (filter) => describes(filter.resources ?? {}, object, place, unknown));
  return (
    isListed && matches(cleanupMatch, true) && !(cleanupExclude && matches(cleanupExclude, false))
  );
}

type Filters = NonNullable<ObjectFacts['cleanupMatch']>;
type Filter = NonNullable<Filters['any']>[number];
type Description = NonNullable<Filter['resources']>;
type Constraints = NonNullable<ObjectFacts['matchConstraints']>;

/** CheckMatchesResources, pkg/utils/match/match.go of kyverno/kyverno. */
function passes({ any = [], all = [] }: Filters = {}, test: (filter: Filter) => boolean): boolean {
  return any.length > 0 ? any.some(test) : all.every(test);
}

/** checkResourceDescription, there. `unknown`: the answer where something was not read that decides. */
function describes(
  description: Description,
  { type, name, namespace, labels, annotations }: ObjectRecord,
  place: ObjectRecord | undefined,
  unknown: boolean,
): boolean {
  const { kinds, names, namespaces, selector, namespaceSelector } = description;
  const isOfNamespace = type.group === '' && type.kind === 'Namespace';
  const within = isOfNamespace ? name : namespace;
  const asks = Object.keys(description).length > 0;
  return (
    asks &&
    (!kinds || namesKind(kinds, { type })) &&
    (description.name === undefined || isLike(description.name, name)) &&
    (!names || names.some((one) => isLike(one, name))) &&
    (!namespaces || namespaces.some((one) => isLike(one, within))) &&
    // Records keep few annotations.
    (!description.annotations || hasLike(description.annotations, annotations) || unknown) &&
    (!selector || takes(selector, labels)) &&
    (!namespaceSelector ||
      isOfNamespace ||
      // An object of no namespace is judged by no labels.
      (namespace === '' || place ? takes(namespaceSelector, place?.labels) : unknown))
  );
}

/** A selector in whose labels `*` and `?` stand for others (ReplaceInSelector, pkg/engine/wildcards). */
function takes({ matchLabels = {}, ...rest }: LabelSelector, labels: ObjectRecord['labels']) {
  return hasLike(matchLabels, labels) && matchesSelector(rest, labels);
}

function hasLike(
  expected: Readonly<Record<string, string>>,
  actual: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(expected).every(([key, value]) =>
    Object.entries(actual).some(([name, text]) => isLike(key, name) && isLike(value, text)),
  );
}

/** `Pod`, `v1/Pod`, `apps/v1/Deployment`, `*` (ParseKindSelector, pkg/utils/kube/kind.go). Any served version lists the objects. */
function namesKind(kinds: readonly string[] = [], { type }: Pick<ObjectRecord, 'type'>): boolean {
  return kinds.some((one) => {
    const parts = one.split('/');
    const kind = parts.at(-1) ?? '';
    const group = parts.length === 3 ? (parts[0] ?? '') : '*';
    return isLike(group, type.group) && isLike(kind, type.kind);
  });
}

/** A DeletingPolicy matches as a ValidatingAdmissionPolicy does (MatchConstraints). */
function constraintsTake(
  constraints: Constraints,
  object: ObjectRecord,
  place: ObjectRecord | undefined,
): boolean {
  const { resourceRules = [], excludeResourceRules = [] } = constraints;
  const covers = (rule: (typeof resourceRules)[number]) =>
    coversKind(rule, object.type) &&
    (!rule.resourceNames || rule.resourceNames.includes(object.name));
  return (
    resourceRules.some(covers) &&
    !excludeResourceRules.some(covers) &&
    selectorsTake(constraints, object, place) !== false
  );
}

/**
 * Does a text match a pattern in which `*` stands for any characters, and `?` for one? No pattern takes exponential time.
 * @internal
 */
export function isLike(pattern: string, text: string): boolean {
  let [at, position] = [0, 0];
  // Where the last `*` stands, and how far the text is that it stands for.
  let star = -1;
  let taken = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      taken = position;
    } else if (pattern[at] === '?' || pattern[at] === text[position]) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++taken;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

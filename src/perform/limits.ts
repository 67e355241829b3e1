import type { Plan, Planned, PlannedObject, PlanRefusal } from '../deletion/plan/plan.ts';
import { planDifference } from '../deletion/plan/plan-difference.ts';
import {
  canDisappear,
  disappearingCount,
  disappearingIn,
  unreadOf,
} from '../deletion/plan/plan-totals.ts';
import { GcError, type Suggestion } from '../errors.ts';
import { counted } from '../kube/counts-by-kind.ts';
import { inWords, type ObjectReference } from '../kube/object-reference.ts';
import { namesNamespace, nodeLeases } from '../kube/well-known-kinds.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';

const protectedNamespaces = new Set(['kube-system', 'kube-public', nodeLeases]);

/** How far a deletion may go, and what its refusals suggest. */
export interface Limits {
  readonly allowProtected: boolean;
  readonly allowIncomplete: boolean;
  /** Undefined: as many as there are. */
  readonly maxDeletes: number | undefined;
  /** Whatever it is, it was agreed to. */
  readonly isAgreed: boolean;
  /** Does a person see this plan before anything is sent, and answer a question? */
  readonly asksFirst: (plan: Plan) => boolean;
  /** The flag that shows what would be done. */
  readonly preview: string;
  /** What could not be read, as lines for people. */
  readonly gapLines: (problems: readonly CoverageProblem[]) => string[];
}

type Shown = Pick<Planned, 'plan' | 'snapshot'>;

/**
 * Throws when a plan goes further than was allowed, naming the flag that allows it, and the one that shows it; else answers
 * that nothing speaks against it.
 */
export function refuseDangerous(planned: Shown, limits: Limits): readonly [] {
  const [first] = refusalsOf(planned, limits);
  if (!first) return [];
  const unread = first.code === incomplete ? limits.gapLines(unreadOf(planned.plan)) : [];
  throw refusalError({ ...first, suggestions: [...unread, ...first.suggestions] });
}

/** Where a plan goes further than was allowed. What could not be read is said beside a plan, and not again here. */
export function refusalsOf(planned: Shown, limits: Limits): PlanRefusal[] {
  const { allowProtected, allowIncomplete, maxDeletes, preview } = limits;
  const { plan } = planned;
  const refusals: PlanRefusal[] = [];
  const going = disappearingIn(plan);
  const isGuarded = guardedIn(going);
  const refused = (plan.refusals ?? []).flatMap(({ object }) => object ?? []);
  const asked = [...plan.requests, ...refused].find(isGuarded);
  const [first, ...others] = going.filter(isGuarded);
  if (first && !allowProtected) {
    const more = others.length > 0 ? ` and ${others.length} more protected objects` : '';
    refusals.push(protectedRefusal(`${inWords(first)}${more} would be deleted`));
  } else if (asked && !allowProtected) {
    // The server refuses some by itself, and then nothing goes.
    refusals.push(protectedRefusal(`${inWords(asked)} is protected`));
  }
  const unread = unreadOf(plan);
  const isBlind = unread.length > 0 && isBlindFor(unread, planned);
  if (maxDeletes !== undefined && going.length > maxDeletes) {
    refusals.push({
      code: 'too-many-deletes',
      message: `${disappearingCount(plan)} would be deleted, and --max-deletes allows ${maxDeletes}`,
      suggestions: [`See them with ${preview}, or allow them with --max-deletes=${going.length}.`],
    });
  } else if (maxDeletes !== undefined && isBlind && allowIncomplete) {
    refusals.push(uncountedRefusal(counted(plan.requests.length, 'object'), maxDeletes));
  }
  const isAgreed = limits.isAgreed || limits.asksFirst(plan);
  if (unread.length > 0 && !allowIncomplete && (isBlind || !isAgreed)) {
    refusals.push(incompleteRefusal([], isBlind ? 'allow-incomplete' : 'yes'));
  }
  return refusals;
}

/** What of that which may be deleted is protected: it is refused without --allow-protected. */
export function protectedIn({ objects }: Pick<Plan, 'objects'>): PlannedObject[] {
  const going = disappearingIn({ objects });
  return going.filter(guardedIn(going));
}

/** Is an object protected, where these are deleted? */
export function guardedIn(
  going: readonly (ObjectReference & { readonly servesNode?: string | undefined })[],
): (object: ObjectReference) => boolean {
  const nodes = new Set(going.flatMap(({ kind, name }) => (kind === 'Node' ? name : [])));
  // Without their Node they are of no use.
  const isNodeLease = ({ kind, namespace, name }: ObjectReference) =>
    kind === 'Lease' && namespace === nodeLeases && nodes.has(name);
  const serving = new Set(
    going.flatMap(({ uid, servesNode }) =>
      servesNode !== undefined && nodes.has(servesNode) ? uid : [],
    ),
  );
  return (object) => isProtected(object) && !isNodeLease(object) && !serving.has(object.uid);
}

/** Of what was not read there may be any number, so no limit can be kept. */
export function uncountedRefusal(what: string, maxDeletes: number): PlanRefusal {
  return {
    code: 'too-many-deletes',
    message: `how many objects are deleted with ${what} could not be determined, and --max-deletes allows ${maxDeletes}`,
    suggestions: ['To delete it without a limit, leave out --max-deletes.'],
  };
}

const incomplete = 'incomplete';

function incompleteRefusal(
  gapLines: readonly string[],
  allowedBy: 'allow-incomplete' | 'yes',
): PlanRefusal {
  return {
    code: incomplete,
    message: 'not everything that would be deleted could be read',
    suggestions: [
      ...gapLines,
      allowedBy === 'yes'
        ? 'Resource types that could not be read may contain more objects that are deleted. To delete anyway: --yes.'
        : 'To delete anyway, without knowing all that is deleted: --allow-incomplete.',
    ],
  };
}

/** What was read for the plan that was agreed to, and cannot be read now: a yes was said to more than is seen now. */
export function refuseUnreadSince(
  before: Plan,
  now: Plan,
  { allowIncomplete, gapLines }: Pick<Limits, 'allowIncomplete' | 'gapLines'>,
): void {
  const placeOf = ({ resource, apiVersion, namespace }: CoverageProblem) =>
    `${resource ?? apiVersion} ${namespace}`;
  const known = new Set(unreadOf(before).map(placeOf));
  const since = unreadOf(now).filter((problem) => !known.has(placeOf(problem)));
  if (since.length > 0 && !allowIncomplete)
    throw refusalError(incompleteRefusal(gapLines(since), 'allow-incomplete'));
}

/**
 * Are the dependents unknown altogether? If one kind of a namespace could not be read, the other kinds are still known.
 * They are unknown if no kind of the namespace was read, or if a cluster-scoped object is deleted: its dependents and
 * content may be in any namespace.
 */
function isBlindFor(
  unread: readonly CoverageProblem[],
  { plan: { requests, objects }, snapshot: { types, coverage } }: Shown,
): boolean {
  const isNamespaced = (resource: string) => types.versions(resource)[0]?.namespaced === true;
  const goesWide = objects.some((object) => object.namespace === '' && canDisappear(object));
  const isDark = ({ namespace }: ObjectReference) =>
    !coverage.read.some(
      ({ resource, namespaces }) =>
        isNamespaced(resource) && (namespaces?.includes(namespace) ?? true),
    );
  return (
    requests.some((request) => request.namespace === '' || isDark(request)) ||
    unread.some(
      ({ resource, apiVersion }) =>
        (resource === undefined && apiVersion === 'v1') ||
        (goesWide && resource !== undefined && !isNamespaced(resource)),
    )
  );
}

export function refusalError({ code, message, suggestions }: PlanRefusal): GcError {
  return new GcError(`${message}; nothing was sent`, { code, suggestions });
}

/** The plan with these gaps, each reported once. */
export function withProblems(plan: Plan, problems: readonly CoverageProblem[]): Plan {
  const distinct = [...new Map(problems.map((problem) => [problem.message, problem])).values()];
  const complete = distinct.length === 0;
  return { ...plan, coverage: { ...plan.coverage, complete, problems: distinct } };
}

export function protectedRefusal(message: string): PlanRefusal {
  return {
    code: 'protected',
    message,
    suggestions: [
      'kube-system, kube-public, kube-node-lease and the namespace default hold what every cluster needs. If you mean it: --allow-protected.',
    ],
  };
}

export function isProtected({
  kind,
  apiVersion,
  namespace,
  name,
}: Omit<ObjectReference, 'uid'>): boolean {
  if (protectedNamespaces.has(namespace)) return true;
  return (
    namesNamespace({ apiVersion, kind }) && (protectedNamespaces.has(name) || name === 'default')
  );
}

/** Throws if planning again gives another plan than the one that was shown or saved. `next`: what to do then. */
export function refuseMoved(
  before: Plan,
  now: Plan,
  name: string,
  gapLines: Limits['gapLines'],
  next: readonly Suggestion[] = [],
): void {
  const words = planDifference(before, now).map((change) => change.words);
  if (words.length === 0) return;
  // What cannot be read looks as if the deletion did not touch it any more.
  const unread = gapLines(unreadOf(now));
  const what =
    unread.length === 0
      ? `the cluster has changed since plan ${name} was made`
      : `the cluster is not as in ${name}, as far as it could be read`;
  throw new GcError(`${what}; nothing was sent`, {
    code: 'moved',
    suggestions: [
      ...words.slice(0, 20),
      ...(words.length > 20 ? [`… and ${words.length - 20} more`] : []),
      ...unread,
      ...next,
    ],
  });
}

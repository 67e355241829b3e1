import { goingCount, mayGo } from '../../deletion/plan/going.ts';
import type { Plan, PlanRefusal } from '../../deletion/plan/plan.ts';
import { unreadOf } from '../../deletion/plan/unread-content.ts';
import { GcError } from '../../errors.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { DeleteFlags, DeleteOptions } from '../delete/delete-options.ts';

const protectedNamespaces = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

type Overrides = Pick<DeleteFlags, 'allow-protected' | 'allow-incomplete'>;

/** Throws when a plan goes further than was allowed, naming the flag that allows it, and the one that shows it. */
export function refuseDangerous(
  plan: Plan,
  flags: Overrides,
  { maxDeletes }: Pick<DeleteOptions, 'maxDeletes'>,
  preview = '--preview',
): void {
  const [first] = refusalsOf(plan, flags, { maxDeletes }, preview);
  if (first) throw refusalError(first);
}

/** Where a plan goes further than was allowed. `preview`: the flag that shows it. */
export function refusalsOf(
  plan: Plan,
  flags: Overrides,
  { maxDeletes }: Pick<DeleteOptions, 'maxDeletes'>,
  preview: string,
): PlanRefusal[] {
  const refusals: PlanRefusal[] = [];
  const going = plan.objects.filter(mayGo);
  const nodes = new Set(going.flatMap(({ kind, name }) => (kind === 'Node' ? name : [])));
  // Without their Node they are of no use.
  const isNodeLease = ({ kind, namespace, name }: ObjectReference) =>
    kind === 'Lease' && namespace === 'kube-node-lease' && nodes.has(name);
  const serving = new Set(
    going.flatMap(({ uid, servesNode }) =>
      servesNode !== undefined && nodes.has(servesNode) ? uid : [],
    ),
  );
  const isGuarded = (object: ObjectReference) =>
    isProtected(object) && !isNodeLease(object) && !serving.has(object.uid);
  const asked = plan.requests.find(isGuarded);
  const [first, ...others] = going.filter(isGuarded);
  if (first && !flags['allow-protected']) {
    const more = others.length > 0 ? ` and ${others.length} more protected objects` : '';
    refusals.push(protectedRefusal(`${nameOf(first)}${more} would be deleted`));
  } else if (asked && !flags['allow-protected']) {
    // The server refuses some by itself, and then nothing goes.
    refusals.push(protectedRefusal(`${nameOf(asked)} is protected`));
  }
  if (maxDeletes !== undefined && going.length > maxDeletes) {
    refusals.push({
      code: 'too-many-deletes',
      message: `${goingCount(plan)} would be deleted, and --max-deletes allows ${maxDeletes}`,
      suggestions: [`See them with ${preview}, or allow them with --max-deletes=${going.length}.`],
    });
  }
  const unread = unreadOf(plan);
  if (unread.length > 0 && !flags['allow-incomplete']) {
    refusals.push({
      code: 'incomplete',
      message: 'not everything that would be deleted could be read',
      suggestions: [
        ...unread.slice(0, 5).map(({ message }) => message),
        ...(unread.length > 5 ? [`… and ${unread.length - 5} more`] : []),
        'To delete anyway, without knowing all that is deleted: --allow-incomplete.',
      ],
    });
  }
  return refusals;
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

/** The refusal of what is protected. */
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
  const isNamespace = kind === 'Namespace' && apiVersion === 'v1';
  return isNamespace && (protectedNamespaces.has(name) || name === 'default');
}

function nameOf({ kind, namespace, name }: ObjectReference): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${name} in namespace ${namespace}`;
}

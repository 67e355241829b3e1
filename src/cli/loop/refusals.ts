import { goingCount, mayGo, mayHideDependents } from '../../deletion/plan/going.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
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
  options: DeleteOptions,
  preview = '--preview',
): void {
  const { maxDeletes } = options;
  const going = plan.objects.filter(mayGo);
  const guarded = [...plan.requests, ...going].filter(isProtected);
  const [first] = guarded;
  if (first && !flags['allow-protected']) {
    const others = new Set(guarded.map(({ uid }) => uid)).size - 1;
    const more = others > 0 ? ` and ${others} more protected objects` : '';
    throw protectedError(`${nameOf(first)}${more}`);
  }
  if (maxDeletes !== undefined && going.length > maxDeletes) {
    throw new GcError(
      `${goingCount(plan)} objects would go, and --max-deletes allows ${maxDeletes}; nothing was sent`,
      {
        code: 'too-many-deletes',
        suggestions: [
          `See them with ${preview}, or allow them with --max-deletes=${going.length}.`,
        ],
      },
    );
  }
  const unread = unreadOf(plan, options);
  if (unread.length > 0 && !flags['allow-incomplete']) {
    throw new GcError('not everything that would go along could be read; nothing was sent', {
      code: 'incomplete',
      suggestions: [
        ...unread.slice(0, 5).map(({ message }) => message),
        ...(unread.length > 5 ? [`… and ${unread.length - 5} more`] : []),
        'To delete all the same, without knowing what goes along: --allow-incomplete.',
      ],
    });
  }
}

/** What could not be read and may hold objects that go along. With Orphan nothing goes along. */
export function unreadOf(
  { coverage }: Pick<Plan, 'coverage'>,
  { propagationPolicy, order }: Pick<DeleteOptions, 'propagationPolicy' | 'order'>,
): readonly CoverageProblem[] {
  const orphansAll = propagationPolicy === 'Orphan' && order === 'server';
  return orphansAll ? [] : coverage.problems.filter(mayHideDependents);
}

/** The refusal of what is protected. */
export function protectedError(what: string): GcError {
  return new GcError(`${what} would be deleted; nothing was sent`, {
    code: 'protected',
    suggestions: [
      'kube-system, kube-public, kube-node-lease and the namespace default keep a cluster alive. If you mean it: --allow-protected.',
    ],
  });
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

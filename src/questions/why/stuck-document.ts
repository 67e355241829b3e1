import type { CommandPlace } from '../../command-line/shell-command.ts';
import { compareText } from '../../kube/names.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { type CoverageSummary, type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import { type DiagnosisState, linksOf, unreadOf } from '../../why/chain.ts';
import {
  type Diagnosed,
  type DiagnosisReport,
  diagnosedOf,
  type Explained,
  evidenceProblem,
  type GarbageCollectorHealthReport,
} from './document.ts';

/**
 * What `why` answers, by what it is asked: the type of its schema.
 * @public
 */
export type WhyDocument = DiagnosisReport | GarbageCollectorHealthReport | StuckDeletionsReport;

/** `why -A` and `why -n`: every deletion that has not ended, the worst first. */
export interface StuckDeletionsReport extends DocumentHead<'StuckDeletions'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  readonly items: readonly UnendedDeletion[];
}

export interface UnendedDeletion extends Pick<Diagnosed, 'blockers' | 'fix'> {
  readonly object: ObjectReference;
  readonly state: (typeof states)[number];
  /** RFC 3339: when the deletion began. */
  readonly since: string;
}

/** The worst first: nothing happens by itself; the blocker was not read; a controller is at work. */
const states = ['stuck', 'unknown', 'progressing'] as const;

export function stuckDeletionsReport(
  explained: readonly Explained[],
  coverage: CoverageSummary,
  at: string,
  place: CommandPlace,
): StuckDeletionsReport {
  const unread = unreadOf(explained.flatMap(({ chain }) => linksOf(chain))).map(evidenceProblem);
  const problems = [...coverage.problems, ...unread];
  return {
    ...documentHead('StuckDeletions', coverage.kinds, coverage.objects, problems),
    at,
    items: explained
      .flatMap(({ chain }) => {
        const { object, state, blockers, fix } = diagnosedOf(chain, undefined, place);
        // A removed object, or one that is not being deleted, is no unended deletion.
        if (!isUnended(state) || chain.since === undefined) return [];
        return [{ object, state, since: chain.since, blockers, ...(fix && { fix }) }];
      })
      .sort(byHarm),
  };
}

function isUnended(state: DiagnosisState): state is UnendedDeletion['state'] {
  return states.some((one) => one === state);
}

/** Deletions that the same thing keeps from ending, the worst first. */
export interface DeletionCause {
  readonly first: UnendedDeletion;
  readonly items: readonly UnendedDeletion[];
}

/** What a program does with one finalizer it does with all objects of a kind that have it: these are one cause. */
export function causesOf(items: readonly UnendedDeletion[]): DeletionCause[] {
  return [...Map.groupBy(items, causeKey).values()].map((group) => {
    const [first] = group as [UnendedDeletion];
    return { first, items: group };
  });
}

function causeKey({ state, object, blockers: [first] }: UnendedDeletion): string {
  if (!first) return state;
  const { apiVersion, kind } = first.object;
  if (first.finalizer !== undefined)
    return [state, first.cause, first.finalizer, apiVersion, kind].join(' ');
  const isItself = objectKey(first.object) === objectKey(object);
  return [state, isItself ? first.cause : objectKey(first.object)].join(' ');
}

/** Namespaces first, because they affect all their content; then the oldest. */
function byHarm(a: UnendedDeletion, b: UnendedDeletion): number {
  return (
    states.indexOf(a.state) - states.indexOf(b.state) ||
    Number(b.object.kind === 'Namespace') - Number(a.object.kind === 'Namespace') ||
    compareText(a.since, b.since) ||
    compareText(sortKey(a), sortKey(b))
  );
}

function sortKey({ object: { namespace, kind, name, uid } }: UnendedDeletion): string {
  return [namespace, kind, name, uid].join(' ');
}

import type { PublishedConsequence } from '../audit/rules/reference-findings.ts';
import { firstOf, kindCounts } from '../kube/counts-by-kind.ts';
import { type ObjectReference, tableName } from '../kube/object-reference.ts';
import { type Paint, paints } from '../output/style.ts';
import type { Diagnosed } from './why/document.ts';

/** The state of a deletion, for people: stuck for certain, perhaps stuck, progressing. */
export const stateWords = {
  stuck: 'stuck',
  unknown: 'might be stuck',
  progressing: 'in progress',
} as const;

/** `blocked by finalizer example.com/backup of Database/catalog`, `waits for Node/worker-2`; empty where nothing blocks it. */
export function blockedBy(item: Pick<Diagnosed, 'object' | 'blockers'>): string {
  const [first] = item.blockers;
  if (!first) return '';
  const { object, finalizer, cause } = first;
  const isItself = namesSameObject(object, item.object);
  if (finalizer !== undefined) {
    return `blocked by finalizer ${finalizer}${isItself ? '' : ` of ${tableName(object)}`}`;
  }
  if (isItself) return `blocked: ${cause.replaceAll('-', ' ')}`;
  // The Lease of a controller stands for the controller, which must act.
  if (object.kind === 'Lease') return `waits for ${object.name}`;
  return `waits for ${blockerName(first, item.object)}`;
}

/**
 * What a deletion waits for in the end: other objects, or what is on the object itself. `Node/worker-2`,
 * `finalizer example.com/cleanup`, `Pod/a, Pod/b and 3 more`.
 */
export function blockedByWords({
  object,
  blockers,
}: Pick<Diagnosed, 'object' | 'blockers'>): string {
  const names = [...new Set(blockers.map((blocker) => blockerName(blocker, object)))];
  return firstOf(names, shownBlockers);
}

const shownBlockers = 2;

function blockerName(
  { object, cause, finalizer }: Diagnosed['blockers'][number],
  waiting: ObjectReference,
): string {
  if (object.name === '*') return `${object.kind} that could not be read`;
  if (!namesSameObject(object, waiting)) return tableName(object);
  return finalizer === undefined ? cause.replaceAll('-', ' ') : `finalizer ${finalizer}`;
}

/** Is it the same object, or another one of its name? */
export function namesSameObject(a: ObjectReference, b: ObjectReference): boolean {
  return a.kind === b.kind && a.name === b.name && a.namespace === b.namespace;
}

const problems: Readonly<Record<string, string>> = {
  'missing-owner': 'owner does not exist',
  'owner-uid-mismatch': 'owner recreated',
  'owner-name-mismatch': 'wrong owner name',
  'owner-kind-mismatch': 'wrong owner kind',
  'cross-namespace-owner': 'owner in another namespace',
  'namespaced-owner-of-cluster-object': 'owner is namespaced',
  'unserved-owner-kind': 'owner kind removed',
  'unserved-owner-version': 'owner version removed',
  'several-controllers': 'several controllers',
  'duplicate-uid': 'duplicate owner uid',
  'self-owner': 'owns itself',
  'ownership-cycle': 'ownership cycle',
  'orphaned-job-pods': 'left by its Job',
  'event-owner': 'owner is an Event',
};

/** A class of wrong references in a few words. */
export function problemWords(id: string): string {
  return problems[id] ?? id.replaceAll('-', ' ');
}

/** A result is no sentence: its cause stands in another column. */
export const mostResultWords = 3;

/** What becomes of an object: nothing has happened yet. */
const results: Readonly<
  Record<PublishedConsequence, { readonly words: string; readonly like: string }>
> = {
  'deleted on the next pass': { words: 'will be deleted', like: 'delete' },
  'reference removed': { words: 'loses a reference', like: 'patch' },
  'kept only by another owner': { words: 'another owner remains', like: '' },
  'never collected': { words: 'never deleted', like: 'frozen' },
  'blocks a foreground deletion for ever': { words: 'blocks foreground deletion', like: 'frozen' },
  'already being deleted': { words: 'being deleted', like: 'terminating' },
  'unknown because an API could not be read': { words: 'unknown', like: 'unknown' },
  none: { words: 'without effect', like: '' },
};

function isConsequence(word: string): word is PublishedConsequence {
  return word in results;
}

/** What a finding leads to: consequences of a wrong reference, or the sentence of another rule. */
export function consequenceWords(consequence: string, rule: string): string {
  const parts = consequence.split(', ');
  return parts.every(isConsequence)
    ? resultWords(parts, rule)
    : consequence.replace(/^(never|not) collected\b/, '$1 deleted');
}

/** Several consequences as one result: the first is the object's own. */
export function resultWords(consequences: readonly string[], rule: string): string {
  return consequences
    .map((one) => {
      // Without an owner reference, pod garbage collection may delete the pod yet.
      if (rule === 'orphaned-job-pods' && one === 'never collected') return 'stays';
      return isConsequence(one) ? results[one].words : one;
    })
    .join('; ');
}

/** `4 will be deleted, 2 stay`: how many end how, the most first. */
export function resultCounts(results: readonly string[]): string {
  return kindCounts(results)
    .map(([words, count]) => countedResult(count, words))
    .join(', ');
}

/** `1 stays`, `2 stay` */
export function countedResult(count: number, words: string): string {
  return `${count} ${count === 1 ? words : words.replace(/^(stay|lose|block)s\b/, '$1')}`;
}

export function resultPaint([first = '']: readonly string[]): Paint | undefined {
  return isConsequence(first) ? paints[results[first].like] : undefined;
}

/** `works, except for configmaps and 3 more kinds` */
export function worksExcept(except: readonly string[] = []): string {
  return except.length === 0 ? 'works, with exceptions' : `works, except for ${firstOf(except)}`;
}

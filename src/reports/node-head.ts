import type { NodeFacts } from '../kubelet/node-facts.ts';
import type { DocumentHead } from './document.ts';

/** The head of a document about nodes: `objects` counts them. */
export function nodeHead<K extends string>(kind: K, facts: readonly NodeFacts[]): DocumentHead<K> {
  const problems = facts.flatMap((one) => one.problems);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind,
    coverage: { complete: problems.length === 0, kinds: 1, objects: facts.length, problems },
  };
}

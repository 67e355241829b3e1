import type { CoverageProblem } from './coverage.ts';
import type { Snapshot } from './snapshot.ts';

/** What every document says about how much was read. */
export interface CoverageSummary {
  readonly complete: boolean;
  /** Number of kinds read in full. */
  readonly kinds: number;
  readonly objects: number;
  readonly problems: readonly CoverageProblem[];
}

/** The head of every JSON and YAML document. */
export interface DocumentHead<K extends string> {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: K;
  readonly coverage: CoverageSummary;
}

export function headOf<K extends string>(kind: K, snapshot: Snapshot): DocumentHead<K> {
  const { problems, read } = snapshot.coverage;
  return {
    apiVersion: 'kubectl-gc/v1',
    kind,
    coverage: {
      complete: problems.length === 0,
      kinds: new Set(read.map((entry) => entry.resource)).size,
      objects: snapshot.records.length,
      problems,
    },
  };
}

import type { ObjectReference } from '../../kube/object-reference.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';
import {
  blockersOf,
  type Cause,
  type DiagnosisState,
  firstFix,
  type Link,
  stateOf,
  unreadOf,
} from '../../why/chain.ts';
import type { FixRequest } from '../../why/fix-request.ts';

/** `why TYPE/NAME`: for each object the chain to what really holds it. */
export interface DiagnosisReport extends DocumentHead<'Diagnosis'> {
  readonly items: readonly Diagnosed[];
}

export interface Diagnosed {
  readonly object: ObjectReference;
  readonly state: DiagnosisState;
  /** The ends of the chain: where an intervention is needed. */
  readonly blockers: readonly {
    readonly object: ObjectReference;
    readonly cause: Cause;
    readonly because: string;
    readonly next: string;
  }[];
  readonly chain: Link;
  /** The one step that `--fix` offers: the one that was insisted on, else the smallest safe one. */
  readonly fix?: FixRequest;
}

/** A chain, and the step that the user insists on, if any. */
export interface Explained {
  readonly chain: Link;
  readonly insisted?: FixRequest | undefined;
}

export function diagnosisReport(
  explained: readonly Explained[],
  problems: readonly CoverageProblem[],
): DiagnosisReport {
  const unread = explained.flatMap(({ chain }) => unreadOf(chain));
  const met = new Set<string>();
  const missing: CoverageProblem[] = unread
    .filter(({ what }) => !met.has(what) && met.add(what))
    .map(({ what, couldNotRead }) => ({
      reason: reasonOf(couldNotRead),
      message: `could not read ${what}: ${couldNotRead}`,
    }));
  const all = [...problems, ...missing];
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Diagnosis',
    coverage: {
      complete: all.length === 0,
      kinds: 0,
      objects: explained.length,
      problems: all,
    },
    items: explained.map(({ chain, insisted }) => diagnosedOf(chain, insisted)),
  };
}

/** @internal */
export function diagnosedOf(chain: Link, insisted?: FixRequest): Diagnosed {
  const state = stateOf(chain);
  const fix = insisted ?? (state === 'stuck' ? firstFix(chain)?.fix : undefined);
  return {
    object: chain.object,
    state,
    blockers: blockersOf(chain).map(({ object, cause, because, next }) => ({
      object,
      cause,
      because,
      next,
    })),
    chain,
    ...(fix && { fix }),
  };
}

export function reasonOf(message: string): CoverageProblem['reason'] {
  if (message.includes('forbidden')) return 'forbidden';
  return message.includes('the input') || message.includes('a file') ? 'truncated' : 'unavailable';
}

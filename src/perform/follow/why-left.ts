import { pause } from '../../cluster/pacing.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { blockersInWords, blockersOf, type Link, stateOf } from '../../why/chain.ts';
import type { Execution } from '../run-context.ts';

/** The maximum number of objects to diagnose: a diagnosis may lead through everything in a namespace. */
const mostDiagnosed = 20;

/**
 * What blocks objects that a deletion has left, as `why` finds it: a sentence each, by uid. Objects whose controllers are still at work
 * are left out, as are those that could not be read in time.
 */
export async function whyLeft(
  { client, types, pace, options }: Execution,
  left: readonly ObjectLocation[],
): Promise<ReadonlyMap<string, string>> {
  const diagnosed = left.slice(0, mostDiagnosed);
  if (diagnosed.length === 0) return new Map();
  const [{ diagnose }, { investigate }, { answerFromCluster }] = await Promise.all([
    import('../../why/diagnose.ts'),
    import('../../why/investigate.ts'),
    import('../../why/ask/answer-from-cluster.ts'),
  ]);
  const cluster = { client, types, serverVersion: undefined };
  const known = { ...cluster, origin: 'cluster', isCurrent: true } as const;
  const investigated = investigate(
    known,
    (inquiry) => diagnosed.map((at) => diagnose(inquiry, at)),
    answerFromCluster(cluster),
  ).then(
    ({ finding }) => finding,
    () => [],
  );
  // At the timeout nothing more is sent, and the answer may still come.
  const answered = new AbortController();
  const { signal = answered.signal } = options;
  const timeout = pause(pace.evidence, AbortSignal.any([signal, answered.signal]));
  const chains = await Promise.race([investigated, timeout.then(() => [])]);
  answered.abort();
  return new Map(
    chains.flatMap((chain) => {
      const words = wordsOf(chain);
      return words === undefined ? [] : [[chain.object.uid, words] as const];
    }),
  );
}

function wordsOf(chain: Link): string | undefined {
  const state = stateOf(chain);
  if (state === 'overdue') return chain.because;
  return state === 'stuck' ? blockersInWords(chain.object.uid, blockersOf(chain)) : undefined;
}

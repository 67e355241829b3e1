import { locationKey } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type PlannedRestoration, restoredObject } from './planned-restoration.ts';
import type { Restoration, RestoredObject } from './restoration.ts';

/** The outcome for an object, as the restoration reports it. */
type Results = ReadonlyMap<string, Pick<RestoredObject, 'outcome' | 'message' | 'newUid'>>;

/** The document of a restoration, before (`planned`) or after it was tried. */
export function restorationReport(
  planned: readonly PlannedRestoration[],
  { source, cluster, state }: Pick<Restoration, 'source' | 'cluster' | 'state'>,
  problems: readonly CoverageProblem[],
  results: Results = new Map(),
): Restoration {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Restoration',
    coverage: {
      complete: problems.length === 0,
      kinds: new Set(planned.map(({ saved }) => groupResourceOf(saved.type))).size,
      objects: planned.length,
      problems,
    },
    source,
    cluster,
    state,
    objects: planned.map((one) => ({
      ...restoredObject(one),
      ...results.get(locationKey(one.saved)),
    })),
  };
}

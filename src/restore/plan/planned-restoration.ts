import { locationKey, referenceTo } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { documentHead } from '../../snapshot/snapshot.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { RelinkedReference } from '../relink/relink.ts';
import type { Restoration, RestoredObject } from './restoration.ts';

/** What is to be done about one saved object. */
export interface PlannedRestoration
  extends Pick<RestoredObject, 'wave' | 'action' | 'because' | 'notes' | 'asSaved'> {
  readonly saved: SavedObject;
  readonly references: readonly RelinkedReference[];
  /** To be sent, without references; only with `create`. */
  readonly manifest?: KubeObject;
  /** Keys of owners that come after the object: their references are added when everything is there. */
  readonly later: ReadonlySet<string>;
  /** Name of the PersistentVolume that a claim must have in the end. */
  readonly volume?: string;
  /** The PersistentVolume that must forget the claim that is gone. */
  readonly release?: ReleasedVolume;
  /** Of the object that is there; only with `relink`. */
  readonly liveUid?: string;
}

/** A PersistentVolume that is still reserved for a claim that is gone. */
export interface ReleasedVolume {
  readonly name: string;
  /** uid of that claim: with any other one it is left alone. */
  readonly claimUid: string;
}

/**
 * As the document tells it.
 * @internal
 */
export function restoredObject(planned: PlannedRestoration): RestoredObject {
  const { saved, wave, action, because, references, notes, later, asSaved } = planned;
  return {
    ...referenceTo(saved),
    wave,
    action,
    because,
    references: references.map(({ told, owner }) =>
      owner !== undefined && later.has(owner)
        ? {
            ...told,
            change: 'later',
            because: `it is created without this reference, and gets it when ${told.kind} ${told.name} is there`,
          }
        : told,
    ),
    notes,
    ...(asSaved && { asSaved }),
  };
}

/** Annotation of an object that was created without some references which it is still to get. */
export const pendingOwners = 'kubectl-gc.io/pending-owners';

/** The outcome for an object, as the restoration reports it. */
type Results = ReadonlyMap<string, Pick<RestoredObject, 'outcome' | 'message' | 'newUid'>>;

/** The document of a restoration, before (`planned`) or after it was tried. */
export function restorationReport(
  planned: readonly PlannedRestoration[],
  { source, cluster, state }: Pick<Restoration, 'source' | 'cluster' | 'state'>,
  problems: readonly CoverageProblem[],
  results: Results = new Map(),
): Restoration {
  const kinds = new Set(planned.map(({ saved }) => groupResourceOf(saved.type))).size;
  return {
    ...documentHead('Restoration', kinds, planned.length, problems),
    source,
    cluster,
    state,
    objects: planned.map((one) => ({
      ...restoredObject(one),
      ...results.get(locationKey(one.saved)),
    })),
  };
}

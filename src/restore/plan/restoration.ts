import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { locationKey, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type CoverageSummary, type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import type { SavedObject } from '../backup/saved-object.ts';

/**
 * create: it is not there. relink: it is there, without a reference that it had. exists: nothing to
 * do. skip: not restored on purpose. cannot: it should be restored, and `because` says why not.
 */
export type RestoreAction = 'create' | 'relink' | 'exists' | 'skip' | 'cannot';

/**
 * relinked: the owner lives under another uid; kept: as it was; to-come: the owner is created
 * first; later: the owner comes after the object, so it is added when all are there; dropped: the owner is gone.
 */
export type ReferenceChange = 'relinked' | 'kept' | 'to-come' | 'later' | 'dropped';

export interface RestoredReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The uid that was saved. */
  readonly from: string;
  /** The uid it gets; empty while the owner is not there, or when it is dropped. */
  readonly to: string;
  readonly change: ReferenceChange;
  readonly because: string;
}

/** A reference of a restored object, and which object it will lead to. */
export interface RelinkedReference {
  readonly reference: OwnerReference;
  readonly told: RestoredReference;
  /** `locationKey` the owner; undefined where none can be looked up. */
  readonly owner: string | undefined;
  /**
   * solid: the garbage collector will find the owner; gone: it will not; unknown: it could not be
   * looked up.
   */
  readonly end: 'solid' | 'gone' | 'frozen' | 'unknown';
}

/** What the garbage collector would do with the object as it was saved. */
export interface AsSaved {
  readonly action: 'delete' | 'patch' | 'unknown';
  readonly because: string;
  readonly rule: string;
}

/**
 * What became of an object. faulty: it was there when all was sent, but will be collected, misses an
 * owner or has another volume. not-tried: the run ended before.
 */
export type RestoreOutcome = 'created' | 'relinked' | 'exists' | 'faulty' | 'refused' | 'not-tried';

export interface RestoredObject extends ObjectReference {
  /** Objects of one wave need only what the waves before brought. */
  readonly wave: number;
  readonly action: RestoreAction;
  readonly because: string;
  readonly references: readonly RestoredReference[];
  /** What is different from before, and what does not come back. */
  readonly notes: readonly string[];
  /** Only for other people's backups. */
  readonly asSaved?: AsSaved;
  readonly outcome?: RestoreOutcome;
  /** The server's message when it refused, or what is wrong with the object that exists. */
  readonly message?: string;
  /** Of the object that is there now. */
  readonly newUid?: string;
}

/** What is, or was, restored; the document of `restore`. */
export interface Restoration extends DocumentHead<'Restoration'> {
  /** The backup folder, or the files of a dump. */
  readonly source: {
    readonly kind: 'backup' | 'files';
    readonly paths: readonly string[];
    /** RFC 3339. */
    readonly createdAt?: string;
  };
  readonly cluster: PlannedCluster;
  /** planned: nothing was sent. rehearsed: the server checked it and stored nothing. */
  readonly state: 'planned' | 'rehearsed' | 'performed' | 'interrupted';
  /** In the order in which they are restored. */
  readonly objects: readonly RestoredObject[];
  readonly coverage: CoverageSummary;
}

/** Those that are not there as they should be. */
export function notRestored({ objects }: Pick<Restoration, 'objects'>): RestoredObject[] {
  return objects.filter(
    ({ action, outcome }) =>
      action === 'cannot' ||
      outcome === 'faulty' ||
      outcome === 'refused' ||
      outcome === 'not-tried',
  );
}

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

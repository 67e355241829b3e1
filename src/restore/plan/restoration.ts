import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { locationKey, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type CoverageSummary, type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { Need } from '../kinds/manifest-needs.ts';

/**
 * create: it is not there. relink: it is there, without a reference, status or field managers that it had. patch: a controller has given the
 * namespace another one, which gets the saved content. exists: nothing to do. skip: not restored on purpose. cannot: it
 * should be restored, and `because` says why not.
 */
export type RestoreAction = 'create' | 'relink' | 'patch' | 'exists' | 'skip' | 'cannot';

/**
 * relinked: the owner lives under another uid; kept: as it was; to-come: the owner is created
 * first; later: the owner comes after the object, so it is added when all are there; dropped: the owner does not exist.
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
 * owner, has another volume, or another client has created it with other content. not-checked: the server could not
 * rehearse it, as what it needs is to be created first. not-tried: the run ended before. With --verify: same: it has the
 * saved content. differs: it has another. missing: it is not there. unknown: it could not be read.
 */
export type RestoreOutcome =
  | 'created'
  | 'relinked'
  | 'patched'
  | 'exists'
  | 'faulty'
  | 'refused'
  | 'not-checked'
  | 'not-tried'
  | 'same'
  | 'differs'
  | 'missing'
  | 'unknown';

export interface RestoredObject extends ObjectReference {
  /** Objects of one wave need only what the waves before brought. */
  readonly wave: number;
  readonly action: RestoreAction;
  readonly because: string;
  readonly references: readonly RestoredReference[];
  /** What differs from the deleted object, and what is not restored. */
  readonly notes: readonly string[];
  /** It was not asked for; this object needs it. */
  readonly neededBy?: ObjectReference;
  /** Only for other people's backups. */
  readonly asSaved?: AsSaved;
  readonly outcome?: RestoreOutcome;
  /** The server's message when it refused, or what is wrong with the object that exists. */
  readonly message?: string;
  /** Fields that are not as they were saved; only with `differs`. */
  readonly differs?: readonly string[];
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
  /** planned: nothing was sent. rehearsed: the server checked it and stored nothing. verified: the cluster was compared with it. */
  readonly state: 'planned' | 'rehearsed' | 'performed' | 'interrupted' | 'verified';
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
  /** It was being deleted already, or was to be deleted with such an object. */
  readonly wasTerminating?: true;
  readonly references: readonly RelinkedReference[];
  /** Those of its needs that are to be created before it. */
  readonly needs: readonly Need[];
  /** To be sent, without references; only with `create` and `patch`. */
  readonly manifest?: KubeObject;
  /** To be given to a custom resource when it is there: the server drops it from the creation where the kind has a status subresource. */
  readonly status?: unknown;
  /** Keys of owners that come after the object: their references are added when everything is there. */
  readonly later: ReadonlySet<string>;
  /** Name of the PersistentVolume that a claim must have in the end. */
  readonly volume?: string;
  /** The PersistentVolume from which the uid of the deleted claim is removed. */
  readonly release?: ReleasedVolume;
  /** Of the object that is there; only with `relink` and `patch`. */
  readonly liveUid?: string;
  /** An earlier run has created it, and was cut off before it had given it all that was saved. */
  readonly isUnfinished?: true;
}

/** A PersistentVolume that is still reserved for a deleted claim. */
export interface ReleasedVolume {
  readonly name: string;
  /** uid of that claim: a PersistentVolume with any other one is not patched. */
  readonly claimUid: string;
}

/**
 * The form of the document.
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
    ...(saved.neededBy && { neededBy: saved.neededBy }),
    ...(asSaved && { asSaved }),
  };
}

/** Annotation of an object that was created without some references which it is still to get. */
export const pendingOwners = 'kubectl-gc.io/pending-owners';

/** The outcome for an object, as the restoration reports it. */
type Results = ReadonlyMap<
  string,
  Pick<RestoredObject, 'outcome' | 'message' | 'newUid' | 'differs'>
>;

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

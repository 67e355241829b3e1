import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { CoverageSummary, DocumentHead } from '../../snapshot/snapshot.ts';

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

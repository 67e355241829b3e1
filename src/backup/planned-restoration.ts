import type { KubeObject } from '../kube/record-codec.ts';
import type { RelinkedReference } from './relink.ts';
import type { AsSaved, RestoreAction, RestoredObject } from './restoration.ts';
import { identityOf, type SavedObject } from './saved-object.ts';

/** What is to be done about one saved object. */
export interface PlannedRestoration {
  readonly saved: SavedObject;
  readonly wave: number;
  readonly action: RestoreAction;
  readonly because: string;
  readonly references: readonly RelinkedReference[];
  readonly notes: readonly string[];
  /** To be sent, without references; only with `create`. */
  readonly manifest?: KubeObject;
  /** Keys of owners that close a circle: their references are added when everything is there. */
  readonly later: ReadonlySet<string>;
  /** Name of the PersistentVolume that must forget the claim that is gone. */
  readonly release?: string;
  readonly asSaved?: AsSaved;
  /** Of the object that is there; only with `relink`. */
  readonly liveUid?: string;
}

/** As the document tells it. */
export function restoredObject(planned: PlannedRestoration): RestoredObject {
  const { saved, wave, action, because, references, notes, later, asSaved } = planned;
  return {
    ...identityOf(saved),
    wave,
    action,
    because,
    references: references.map(({ told, owner }) =>
      owner !== undefined && later.has(owner) ? { ...told, change: 'later' } : told,
    ),
    notes,
    ...(asSaved && { asSaved }),
  };
}

/** Annotation of an object that was created without some references which it is still to get. */
export const pendingOwners = 'kubectl-gc.io/pending-owners';

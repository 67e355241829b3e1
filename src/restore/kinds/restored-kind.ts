import type { Json } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import type { NamedNeed } from './manifest-needs.ts';

/** What governs an object is of a lower rank, and in force before the object is created. */
export const ranks = {
  namespaces: 0,
  definitions: 1,
  governing: 2,
  storage: 3,
  configuration: 4,
  workloads: 5,
  selecting: 6,
  /** Admission configuration that needs what is restored before it can decide about anything. */
  dependent: 7,
} as const;

export type Rank = (typeof ranks)[keyof typeof ranks];

export interface RestoreOptions {
  /** Create Jobs and Pods that had finished, so that they run again. */
  readonly finished?: boolean;
  /** Create objects whose owners are all gone, without the references. */
  readonly withoutOwners?: boolean;
  /** Create objects that were being deleted already when they were saved. */
  readonly terminating?: boolean;
  /** Create StatefulSets whose claims do not exist any more. */
  readonly emptyVolumes?: boolean;
}

/** Why an object is not created again. skip: on purpose. cannot: it should be, and cannot. */
export interface NotRestored {
  readonly action: 'skip' | 'cannot';
  readonly because: string;
}

export const skip = (because: string): NotRestored => ({ action: 'skip', because });
export const cannot = (because: string): NotRestored => ({ action: 'cannot', because });

/** A manifest that can be created, and what is different from the saved one. */
export interface PreparedManifest {
  readonly manifest: KubeObject;
  readonly notes: readonly string[];
}

/** How the objects of a kind are restored: the columns of the table of kinds. */
export interface RestoredKind {
  /** Where something else creates it, or nothing can, whatever its owners. */
  readonly never?: (saved: SavedObject, options: RestoreOptions) => NotRestored | undefined;
  readonly rank: Rank;
  /** Does it decide by objects that are restored as well? Then it is restored last. */
  readonly isDependent?: (saved: SavedObject, are: { readonly needsThere: boolean }) => boolean;
  /** It may refuse what is created after it. */
  readonly isAdmission?: true;
  /** What shows that it governs what is created after it. */
  readonly inForce?: {
    /** As in "until it is established". */
    readonly until: string;
    readonly isSo: (live: Json) => boolean;
  };
  /** Programs make some for each new namespace. */
  readonly isGiven?: true;
  /** API servers read it from a watch, and nothing shows when they have. */
  readonly isReadFromWatch?: true;
  /** Removes the fields that are true only of the deleted object. */
  readonly prepare?: (manifest: KubeObject) => PreparedManifest;
  /** Without those of the allocated values that the server refused with this message; undefined: it is about nothing that was allocated. */
  readonly withoutRefused?: (manifest: KubeObject, message: string) => KubeObject | undefined;
  /** What its manifest names and it needs; what its Pods need is the same for all kinds. */
  readonly needed?: (manifest: Json) => readonly NamedNeed[];
  /** Without what is allocated, and what its controller writes: two objects that are equal then have the same content. */
  readonly level?: (manifest: KubeObject) => KubeObject;
}

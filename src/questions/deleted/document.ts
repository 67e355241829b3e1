import type { DeletedObject, DeletionGroup } from '../../history/deletions/deletions-in.ts';
import type { Removal } from '../../history/deletions/removal.ts';
import type { LongList } from '../../output/document-parts.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';

/** What the answer of `deleted` rests on. */
export interface DeletionSources {
  /** The first and the last request in the audit logs, RFC 3339; undefined without a log. */
  readonly log?: {
    readonly from: string;
    readonly to: string;
    readonly events: number;
    /** The longest times without an event, from five minutes on: nothing happened, or a file is missing. */
    readonly gaps?: readonly { readonly from: string; readonly to: string }[];
  };
  /** When the cluster was read before and afterwards, RFC 3339. */
  readonly before?: string;
  readonly after?: string;
}

/** Where an object can be restored from. */
export interface SavedCopy {
  /** The folder of a backup that contains the object. */
  readonly backup?: string;
  /** The uid of the object is unknown: the backup contains an object of its name. */
  readonly backupCertainty?: 'might be';
}

/** `deleted TYPE/NAME`: from an object to the request that began its deletion. */
export interface DeletionChain extends DocumentHead<'DeletionChain'>, SavedCopy {
  readonly sources: DeletionSources;
  readonly removal: Removal;
}

/** `deleted`: all deletions of a period. */
export interface Deletions extends DocumentHead<'Deletions'> {
  readonly sources: DeletionSources;
  /** How many objects were deleted, in all items. */
  readonly objects: number;
  readonly items: readonly DeletionsItem[];
}

/** The document while it is made: item by item. */
export interface DeletionsReport extends Omit<Deletions, 'items'> {
  readonly items: LongList<DeletionsItem>;
  /** How many smaller groups a terminal does not get. */
  readonly unlisted?: number;
}

export interface DeletionsItem extends Omit<DeletionGroup, 'objects'> {
  readonly objects: readonly (DeletedObject & SavedCopy)[];
}

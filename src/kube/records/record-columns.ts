import type { ObjectRecord } from '../object-record.ts';
import type { TextSets } from './text-sets.ts';

/** Between the facts of a block, each of them JSON. */
export const factSeparator = ',\n';

/** What differs from row to row in ways that no column can hold, or is rare. */
export type RareFields = {
  -readonly [Field in keyof Omit<
    ObjectRecord,
    'type' | 'namespace' | 'facts' | 'place'
  >]?: ObjectRecord[Field];
};

/** Values that are few: for each row the number of its value, from 1; 0 where it has none. */
export interface ValueColumn {
  readonly values: readonly unknown[];
  readonly at: readonly number[] | Uint16Array;
}

/**
 * Objects column by column, as a block of a saved snapshot spells them; a column that no row needs is
 * left out. docs/snapshots.md describes the columns.
 */
export interface RecordColumns {
  readonly rows: number;
  /** Runs: number of the type, rows. */
  readonly type: readonly number[];
  /** Runs: namespace, rows. */
  readonly namespace: readonly (string | number)[];
  /** Joined by `/`, which no name has. */
  readonly name: string;
  /** 36 characters each; what is no UUID stands in `more`. */
  readonly uid?: string | undefined;
  /** Differences. */
  readonly resourceVersion?: readonly (number | null)[] | undefined;
  /** Differences of seconds since 1970. */
  readonly creationTimestamp?: readonly (number | null)[] | undefined;
  readonly labels?: TextSets | undefined;
  readonly annotations?: TextSets | undefined;
  readonly ownerReferences?: TextSets | undefined;
  readonly finalizers?: ValueColumn | undefined;
  readonly writers?: ValueColumn | undefined;
  readonly place?:
    | {
        readonly paths: readonly string[];
        /** Runs: number of the path from 1, rows; 0: no place. */
        readonly path: readonly number[];
        /** Differences. */
        readonly line: readonly (number | null)[];
      }
    | undefined;
  /** Row, and the fields of it that no column has. */
  readonly more?: readonly (readonly [number, RareFields])[] | undefined;
  /** For each row the number of its facts, from 1. */
  readonly facts?: readonly number[] | undefined;
}

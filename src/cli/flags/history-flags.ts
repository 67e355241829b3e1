import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import type { CommonFlags, ValuesOf } from './flags.ts';
import { parseWithin } from './parse-within.ts';

/** A history of snapshots instead of one. */
export const historyFlags = {
  every: Flags.string({
    summary: 'save again each time that so much time has passed, as in 5m, each in a file of DIR',
    helpValue: 'DURATION',
  }),
  keep: Flags.integer({
    summary: 'DIR keeps so many snapshots: the oldest are deleted',
    helpValue: 'COUNT',
  }),
};

/** A history of snapshots in a folder. */
export interface History {
  readonly folder: string;
  /** Milliseconds; undefined: one snapshot is added. */
  readonly every: number | undefined;
  /** So many are kept; undefined: all. */
  readonly keep: number | undefined;
}

type HistoryFlags = CommonFlags & ValuesOf<typeof historyFlags>;

/** What `--every` and `--keep` ask for; undefined where a file is to be written. */
export function historyOf(path: string, flags: HistoryFlags): History | undefined {
  if (flags.every === undefined && flags.keep === undefined) return undefined;
  const every = flags.every === undefined ? undefined : parseWithin(flags.every, '--every');
  if (every !== undefined && every < shortest) {
    throw usageError(
      'invalid-duration',
      `--every "${flags.every}" is less than a second`,
      'The whole cluster is read each time: give some minutes, as in 5m.',
    );
  }
  if (flags.keep !== undefined && flags.keep < 1) {
    throw usageError('invalid-count', `--keep ${flags.keep} keeps nothing`, 'Give at least 1.');
  }
  if (flags.from && every !== undefined) {
    throw usageError('no-cluster', '--every reads a cluster again and again, not files');
  }
  if (path === '-') {
    throw usageError(
      'no-folder',
      'stdout takes one snapshot, and --every and --keep save several',
      'Name a folder: it gets a file for each. One that is not there is made.',
    );
  }
  return { folder: path, every, keep: flags.keep };
}

const shortest = 1000;

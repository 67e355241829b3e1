import * as Flags from '@oclif/core/flags';
import { type Format, listFormats } from '../../output/render.ts';
import { optionalValue } from '../argv/optional-value.ts';
import { outputFlag } from './flags.ts';

export const restoreFormats: readonly Format[] = listFormats;

export const restoreFlags = {
  'dry-run': optionalValue(
    Flags.string({
      summary: 'create nothing, or have the server rehearse',
      helpValue: 'none|client|server',
    }),
    { bare: 'client', following: '^(none|client|server)$' },
  ),
  preview: Flags.boolean({ summary: 'show what would happen, and stop' }),
  yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  'other-cluster': Flags.boolean({ summary: 'also when the backup is of another cluster' }),
  'accept-edited': Flags.boolean({ summary: 'take files of the backup that were changed since' }),
  finished: Flags.boolean({
    summary: 'also create Jobs and Pods that had finished; they run again',
  }),
  'without-owners': Flags.boolean({
    summary: 'also create objects whose owners are all gone, without an owner',
  }),
  output: outputFlag(restoreFormats, 'table'),
};

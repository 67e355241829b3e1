import * as Flags from '@oclif/core/flags';
import { listFormats } from '../../output/render.ts';
import { listingFlags, outputFlag, refusedFlags } from './flags.ts';

export const backupsFlags = {
  prune: Flags.boolean({ summary: 'delete the backups that go beyond the limits' }),
  'older-than': Flags.string({
    summary: 'with --prune: older ones go, `720h`',
    helpValue: 'duration',
    dependsOn: ['prune'],
  }),
  keep: Flags.string({
    summary: 'with --prune: so many of each cluster stay, the newest',
    helpValue: 'number',
    dependsOn: ['prune'],
  }),
  yes: Flags.boolean({ char: 'y', summary: 'do not ask' }),
  ...listingFlags,
  ...refusedFlags('show-labels', 'label-columns'),
  output: outputFlag(listFormats, 'table'),
};

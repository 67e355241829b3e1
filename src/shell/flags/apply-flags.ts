import { usageError } from '../../errors.ts';
import { picked } from '../../kube/json-value.ts';
import { templateOf } from '../../output/templates/template.ts';
import { refuseUnasked } from '../terminal/confirm.ts';
import { deleteFlags } from './delete-flags.ts';
import { checkedDeleteOptions, type DeleteOptions } from './delete-options.ts';
import { booleanFlag, flagsIn } from './flag-kinds.ts';
import { type CommonFlags, type ListingFlags, listingFlags, type ValuesOf } from './flags.ts';

/** The flags of `--apply`, which does what a controller would do; they have the meaning of the flags of `delete`. */
export const applyFlags = {
  ...flagsIn('APPLY', {
    apply: booleanFlag('do now what the controller would do', {
      // What is shown then is a plan, and what becomes of it.
      exclusive: Object.keys(listingFlags),
    }),
  }),
  ...flagsIn(
    'APPLY',
    picked(
      deleteFlags,
      ...(['dry-run', 'yes', 'max-deletes', 'allow-protected', 'allow-incomplete'] as const),
      ...(['backup', 'backup-recipient', 'no-backup', 'timeout', 'wait'] as const),
    ),
    { dependsOn: ['apply'] },
  ),
};

export const showingFlag = '--dry-run=client';

export type ApplyFlags = CommonFlags &
  ListingFlags &
  ValuesOf<typeof applyFlags> & { readonly output?: string | undefined };

/** Checks what can be checked before anything is read. */
export function applyOptionsOf(flags: ApplyFlags): DeleteOptions {
  const { timeout, wait } = flags;
  if (templateOf(flags.output ?? '')) {
    throw usageError(
      `-o ${flags.output} cannot be used with --apply: it shows a plan, not the list`,
      ['Leave out -o, or use -o json.'],
    );
  }
  if (flags.now !== undefined && !flags.from) {
    throw usageError(
      '--now and --apply cannot be specified together: what is not due yet is not done',
      ['Leave out --now; to look ahead, leave out --apply.'],
    );
  }
  const options = checkedDeleteOptions({
    'dry-run': flags['dry-run'],
    'max-deletes': flags['max-deletes'],
    timeout,
    wait,
  });
  if (!flags.from && options.dryRun === 'none') {
    refuseUnasked(
      flags.yes,
      'nothing was sent: there is no terminal to ask on',
      `Add --yes to do it, or ${showingFlag} to see what would be done.`,
    );
  }
  return options;
}

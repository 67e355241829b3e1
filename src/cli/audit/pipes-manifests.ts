import { usageError } from '../../errors.ts';
import type { CommonFlags } from '../flags.ts';
import type { AuditFlags } from './audit-flags.ts';

/** Is this `--relink` or `--strip-owners`, which print manifests instead of findings? Wrong combinations are usage errors. */
export function pipesManifests(
  args: readonly unknown[],
  flags: CommonFlags & AuditFlags & { readonly output: string },
): boolean {
  const asked = (['against-cluster', 'relink', 'strip-owners'] as const).find(
    (flag) => flags[flag],
  );
  if (asked === undefined) return false;
  if (!flags.from) {
    throw usageError(
      'no-manifests',
      `--${asked} does not say which manifests`,
      'Name them with --from PATH, or --from - for those on standard input.',
    );
  }
  if (asked === 'against-cluster') return false;
  if (flags.from.includes('')) {
    throw usageError('no-file', 'a file name is empty', 'Name a file, a folder, or - for stdin.');
  }
  if (args.length > 0 || flags.output !== 'table') {
    throw usageError(
      'manifests-as-they-are',
      `--${asked} prints all manifests as they came in: it takes no TYPE and no -o`,
      'Convert them afterwards, for instance with "kubectl create --dry-run=client -o json -f -".',
    );
  }
  return true;
}

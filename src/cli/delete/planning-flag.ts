import type { DeleteFlags, DeleteOptions } from './delete-options.ts';

/** The first flag that a bare request cannot honour, so that the URI has to be planned; undefined for none. */
export function planningFlag(flags: DeleteFlags, { dryRun }: DeleteOptions): string | undefined {
  if (flags.preview) return '--preview';
  if (flags.compare) return '--compare';
  if (dryRun !== 'none') return '--dry-run';
  const given = (['plan', 'max-deletes', 'backup', 'order'] as const).find(
    (flag) => flags[flag] !== undefined,
  );
  if (given) return `--${given}`;
  return flags.wait === 'tree' || flags.wait === 'object' ? `--wait=${flags.wait}` : undefined;
}

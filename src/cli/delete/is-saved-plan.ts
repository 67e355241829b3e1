import type { DeleteFlags } from './delete-options.ts';

/** Is a plan named, and nothing else to delete? */
export function isSavedPlan(
  args: readonly string[],
  flags: DeleteFlags,
): flags is DeleteFlags & { readonly plan: string } {
  const { plan, filename = [], kustomize = '', all, selector = '' } = flags;
  const fields = flags['field-selector'] ?? '';
  if (plan === undefined || args.length > 0 || filename.length > 0 || kustomize !== '')
    return false;
  return !all && selector === '' && fields === '';
}

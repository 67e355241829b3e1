import type { ObjectRecord } from '../kube/object-record.ts';

/** A tool that keeps an object with this mark when its manifest is removed: other tools prune it all the same. */
export interface PruneMark {
  readonly tool: string;
  /** `helm.sh/resource-policy: keep`. */
  readonly mark: string;
}

/*
 * Helm v4.0.0 (filterManifestsToKeep), kustomize-controller v1.9.6 (prune), gitops-engine v0.7.3 (pruneObject):
 *
 * | read | by it |
 * | --- | --- |
 * | helm.sh/resource-policy: keep | Helm leaves it |
 * | kustomize.toolkit.fluxcd.io/prune: disabled | Flux leaves it |
 * | argocd.argoproj.io/sync-options: Prune=false | Argo CD leaves it |
 */
export function pruneMarkOf({ annotations = {}, labels }: ObjectRecord): PruneMark | undefined {
  const [helm, flux, argo] = [
    'helm.sh/resource-policy',
    'kustomize.toolkit.fluxcd.io/prune',
    'argocd.argoproj.io/sync-options',
  ] as const;
  if (annotations[helm] === 'keep') return { tool: 'Helm', mark: `${helm}: keep` };
  const pruned = annotations[flux] ?? labels?.[flux];
  if (pruned?.toLowerCase() === 'disabled') return { tool: 'Flux', mark: `${flux}: ${pruned}` };
  const options = annotations[argo]?.split(',').map((option) => option.trim()) ?? [];
  return options.includes('Prune=false')
    ? { tool: 'Argo CD', mark: `${argo}: Prune=false` }
    : undefined;
}

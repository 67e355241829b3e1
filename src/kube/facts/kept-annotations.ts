/** With these an object asks an audit not to report it. */
export const waiverAnnotations = {
  /** Rules, joined by commas, or `all`. */
  rules: 'kubectl-gc.io/ignore',
  reason: 'kubectl-gc.io/ignore-reason',
  /** The last day, `2026-12-31`. */
  until: 'kubectl-gc.io/ignore-until',
} as const;

/**
 * Annotations that say who manages an object, or that a controller decides by. All others are dropped: last-applied-configuration
 * alone would carry a Secret's data into a snapshot.
 */
export const keptAnnotations: ReadonlySet<string> = new Set([
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'helm.sh/hook',
  'helm.sh/resource-policy',
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/installation-id',
  'argocd.argoproj.io/sync-options',
  'kustomize.toolkit.fluxcd.io/prune',
  'kustomize.toolkit.fluxcd.io/reconcile',
  'kustomize.toolkit.fluxcd.io/ssa',
  'cluster.x-k8s.io/paused',
  'batch.kubernetes.io/job-tracking',
  'config.k8s.io/owning-inventory',
  'cert-manager.io/certificate-name',
  'karpenter.sh/do-not-disrupt',
  'kubernetes.io/config.mirror',
  waiverAnnotations.rules,
  waiverAnnotations.reason,
  waiverAnnotations.until,
  'control-plane.alpha.kubernetes.io/leader',
  'deployment.kubernetes.io/revision',
  'deprecated.deployment.rollback.to',
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-account.uid',
  'pv.kubernetes.io/bound-by-controller',
  'pv.kubernetes.io/migrated-to',
  'pv.kubernetes.io/provisioned-by',
  'resource.kubernetes.io/pod-claim-name',
  'janitor/ttl',
  'janitor/expires',
  'k8s-ttl-controller.twin.sh/ttl',
  // Kyverno reads the label of this name, and people annotate with it.
  'cleanup.kyverno.io/ttl',
]);

import type { ObjectRecord } from '../kube/object-record.ts';

/** The deployment tool whose mark an object carries (`Helm release shop/web`); undefined without one. */
export function managerOf({ labels, annotations }: ObjectRecord): string | undefined {
  const release = annotations?.['meta.helm.sh/release-name'];
  if (release !== undefined) {
    return `Helm release ${annotations?.['meta.helm.sh/release-namespace'] ?? ''}/${release}`;
  }
  const argo =
    annotations?.['argocd.argoproj.io/tracking-id'] ?? labels?.['argocd.argoproj.io/instance'];
  if (argo !== undefined) return `Argo CD application ${argo.split(':')[0]}`;
  const kustomization = labels?.['kustomize.toolkit.fluxcd.io/name'];
  if (kustomization !== undefined) return `Flux Kustomization ${kustomization}`;
  const helmRelease = labels?.['helm.toolkit.fluxcd.io/name'];
  if (helmRelease !== undefined) return `Flux HelmRelease ${helmRelease}`;
  const inventory = annotations?.['config.k8s.io/owning-inventory'];
  if (inventory !== undefined) return `inventory ${inventory}`;
  return labels?.['app.kubernetes.io/managed-by'];
}

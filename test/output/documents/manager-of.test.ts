import { expect, test } from 'vitest';
import { managerOf } from '../../../src/output/documents/orphans.ts';
import { configMap, type Details } from '../../support/builders.ts';

test.each<[string | undefined, Details]>([
  [
    'Helm release shop/web',
    {
      annotations: {
        'meta.helm.sh/release-name': 'web',
        'meta.helm.sh/release-namespace': 'shop',
      },
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    },
  ],
  ['Helm release web', { annotations: { 'meta.helm.sh/release-name': 'web' } }],
  [
    'Argo CD Application storefront',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'storefront:/ConfigMap:shop/settings' } },
  ],
  ['Argo CD Application storefront', { labels: { 'argocd.argoproj.io/instance': 'storefront' } }],
  [
    'Argo CD Application storefront',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'storefront:/ConfigMap:shop/other' } },
  ],
  ['Flux Kustomization apps', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } }],
  ['Flux HelmRelease web', { labels: { 'helm.toolkit.fluxcd.io/name': 'web' } }],
  [
    'ApplySet applyset-12ab-v1',
    { labels: { 'applyset.kubernetes.io/part-of': 'applyset-12ab-v1' } },
  ],
  ['inventory 12ab', { annotations: { 'config.k8s.io/owning-inventory': '12ab' } }],
  ['kustomize', { labels: { 'app.kubernetes.io/managed-by': 'kustomize' } }],
  [undefined, { labels: { app: 'web' }, annotations: { note: 'by hand' } }],
  [undefined, {}],
])('%s', (manager, details) => {
  expect(managerOf(configMap('settings', details))).toBe(manager);
});

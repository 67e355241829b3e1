import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { customType, objectOfType, servedTypes } from './builders.ts';

/** The kinds of delivery tools, beside those of a default API server. */
export const toolTypes = new ResourceTypes(
  [
    ...servedTypes.all,
    customType('kustomizations.kustomize.toolkit.fluxcd.io/v1 Kustomization'),
    customType('kustomizations.kustomize.toolkit.fluxcd.io/v9 Kustomization'),
    customType('helmreleases.helm.toolkit.fluxcd.io/v2 HelmRelease'),
    customType('applications.argoproj.io/v1alpha1 Application'),
    customType('clusterserviceversions.operators.coreos.com/v1alpha1 ClusterServiceVersion'),
    customType('clusterserviceversions.operators.coreos.com/v9 ClusterServiceVersion'),
    customType('subscriptions.operators.coreos.com/v1alpha1 Subscription'),
    customType('operatorgroups.operators.coreos.com/v1 OperatorGroup'),
    customType('certificates.cert-manager.io/v1 Certificate'),
    customType('clusters.cluster.x-k8s.io/v1beta2 Cluster'),
    customType('clusters.cluster.x-k8s.io/v1beta1 Cluster'),
    customType('machinedeployments.cluster.x-k8s.io/v1beta2 MachineDeployment'),
  ],
  { exhaustive: true },
);

type Json = Readonly<Record<string, unknown>>;

/** An object as its JSON would be read: `toolObject('kustomize.toolkit.fluxcd.io/v1 Kustomization apps', …)`. */
export function toolObject(
  text: string,
  { metadata = {}, ...rest }: { readonly metadata?: Json; readonly [part: string]: unknown },
): ObjectRecord {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  const type = toolTypes.find(apiVersion, kind);
  if (!type) throw new Error(`${apiVersion} ${kind} is not served`);
  const { uid, namespace } = objectOfType(type, name, { namespace: 'delivery' });
  return recordOf({ ...rest, metadata: { name, namespace, uid, ...metadata } }, type);
}

const fluxFinalizer = 'finalizers.fluxcd.io';

/** A Kustomization `apps` in namespace `delivery` whose inventory has these entries. */
export function kustomizationOf(
  ids: readonly string[],
  spec: Json = {},
  finalizers: readonly string[] = [fluxFinalizer],
): ObjectRecord {
  return toolObject('kustomize.toolkit.fluxcd.io/v1 Kustomization apps', {
    metadata: { finalizers },
    spec: { prune: true, interval: '10m', ...spec },
    status: { inventory: { entries: ids.map((id) => ({ id, v: 'v1' })) } },
  });
}

/** The labels of what Kustomization `delivery/apps` applied. */
export const byApps = {
  'kustomize.toolkit.fluxcd.io/name': 'apps',
  'kustomize.toolkit.fluxcd.io/namespace': 'delivery',
};

/** An Application `shop` in namespace `delivery`, with what its status lists: `apps Deployment shop web`. */
export function applicationOf(
  resources: readonly string[],
  spec: Json = {},
  finalizers: readonly string[] = ['resources-finalizer.argocd.argoproj.io'],
): ObjectRecord {
  return toolObject('argoproj.io/v1alpha1 Application shop', {
    metadata: { finalizers },
    spec: { destination: { server: 'https://kubernetes.default.svc' }, ...spec },
    status: {
      resources: resources.map((text) => {
        const [group = '', kind, namespace = '', name] = text.split(' ');
        return {
          ...(group !== 'core' && { group }),
          kind,
          name,
          ...(namespace !== '-' && { namespace }),
        };
      }),
    },
  });
}

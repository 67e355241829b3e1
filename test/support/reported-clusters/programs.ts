import { configMap, made, node, pod } from '../blockade.ts';
import { customDefinition } from '../custom-resources.ts';
import { condition, held, labelled, month, type ReportedCluster } from './parts.ts';

/** Custom resources of well-known programs. */
export const aboutPrograms: readonly ReportedCluster[] = [
  {
    name: 'an AppProject to which an Application refers, and an ApplicationSet',
    objects: [
      ...['AppProject', 'Application', 'ApplicationSet'].map((kind) =>
        customDefinition(kind, 'argoproj.io', { versions: ['v1alpha1'] }),
      ),
      made(
        ...['argoproj.io/v1alpha1', 'AppProject', 'f06', 'shop'],
        held('resources-finalizer.argocd.argoproj.io'),
      ),
      made('argoproj.io/v1alpha1', 'Application', 'f06', 'web', month, {
        spec: { project: 'shop' },
      }),
      made(
        ...['argoproj.io/v1alpha1', 'ApplicationSet', 'f06', 'all'],
        held('resources-finalizer.argocd.argoproj.io'),
      ),
    ],
  },
  {
    name: 'a NodeClaim that drains its Node for days, and a budget that allows no disruption',
    objects: [
      customDefinition('NodeClaim', 'karpenter.sh', { scope: 'Cluster' }),
      made('karpenter.sh/v1', 'NodeClaim', '', 'claim-f05', held('karpenter.sh/termination'), {
        status: {
          nodeName: 'worker-f05',
          conditions: [condition('Drained', 'Unknown', 'Draining', 'Draining pods')],
        },
      }),
      {
        ...node('worker-f05', 'True'),
        metadata: {
          ...{ name: 'worker-f05', uid: 'node-f05', ...month },
          ...held('karpenter.sh/termination'),
        },
      },
      pod('f05', 'guarded', 'worker-f05', { ...labelled('guarded'), ...month }),
      made('policy/v1', 'PodDisruptionBudget', 'f05', 'guard', month, {
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
        status: { disruptionsAllowed: 0 },
      }),
    ],
  },
  {
    name: 'a Secret that cert-manager issued for a Certificate that is being deleted',
    objects: [
      customDefinition('Certificate', 'cert-manager.io'),
      made('cert-manager.io/v1', 'Certificate', 'f09', 'web', held('example.com/revoke'), {
        spec: { secretName: 'web-tls' },
      }),
      made(
        ...['v1', 'Secret', 'f09', 'web-tls'],
        { ...month, annotations: { 'cert-manager.io/certificate-name': 'web' } },
        { type: 'kubernetes.io/tls' },
      ),
    ],
  },
  {
    name: 'a custom resource that reports why it is not ready',
    objects: [
      customDefinition('Bucket', 'store.example.com'),
      made('store.example.com/v1', 'Bucket', 'r08', 'logs', held('store.example.com/empty'), {
        status: { conditions: [condition('Ready', 'False', 'NotEmpty', '3 objects are left')] },
      }),
    ],
  },
  {
    name: 'an object that Kyverno deletes by its label, and an Application that waits for approval',
    objects: [
      configMap('k14', 'brief', { ...month, labels: { 'cleanup.kyverno.io/ttl': '1h' } }),
      customDefinition('Application', 'argoproj.io', { versions: ['v1alpha1'] }),
      made('argoproj.io/v1alpha1', 'Application', 'k14', 'web', {
        ...held('resources-finalizer.argocd.argoproj.io'),
        annotations: { 'argocd.argoproj.io/sync-options': 'Delete=confirm' },
      }),
    ],
  },
];

import { configMap, deployment, made, namespace } from '../blockade.ts';
import { held, month, nobody, type ReportedCluster, selecting, webhook } from './parts.ts';

/** Promises about what was not read, and what garbage collection is kept from. */
export const aboutCollection: readonly ReportedCluster[] = [
  {
    name: 'ReplicaSets and Pods without the Deployments of their namespace',
    objects: [
      deployment('c03-other', 'web', 1, month),
      made(
        ...['apps/v1', 'ReplicaSet', 'c03', 'api-5d'],
        { ownerReferences: [nobody('Deployment', 'api')], ...month },
        { spec: { replicas: 0, ...selecting('api') }, status: { replicas: 0 } },
      ),
    ],
  },
  {
    name: 'an object with an owner and a finalizer in a namespace that does not exist',
    objects: [
      configMap('c08', 'left', {
        ...held('example.com/drain'),
        ownerReferences: [nobody('Deployment', 'gone')],
      }),
      namespace('default'),
    ],
  },
  {
    name: 'garbage of last month',
    objects: [configMap('c36', 'old', { ownerReferences: [nobody('Deployment', 'x')], ...month })],
  },
  {
    name: 'garbage of a kind whose deletion a webhook without a server refuses, and of another kind',
    objects: [
      webhook('c37', { apiGroups: [''], resources: ['configmaps'] }, ['DELETE'], 'c37'),
      namespace('c37', { labels: { 'kubernetes.io/metadata.name': 'c37' } }),
      configMap('c37', 'refused', { ownerReferences: [nobody('Deployment', 'y')], ...month }),
      made('v1', 'Secret', 'c37', 'collected', {
        ...{ ownerReferences: [nobody('Deployment', 'y')], ...month },
      }),
    ],
  },
  {
    name: 'a webhook without a server for a kind that nobody has',
    objects: [
      webhook('c34', { apiGroups: ['none.example.com'], resources: ['nones'] }, ['DELETE'], 'c34'),
      configMap('c34', 'garbage', { ownerReferences: [nobody('Deployment', 'z')], ...month }),
    ],
  },
];

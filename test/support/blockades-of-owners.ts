import { type Blockade, configMap, deployment, foreground, gone, made, on } from './blockade.ts';

const chainTop = deployment('b08', 'web', 0, foreground);
const chainMiddle = configMap('b08', 'middle', { ...foreground, ownerReferences: [on(chainTop)] });
const ringA = made('v1', 'ConfigMap', 'b10', 'a', {});
const ringB = made('v1', 'ConfigMap', 'b10', 'b', {});
const selfish = configMap('b09', 'selfish');
const frozenOwner = configMap('b11', 'owner', foreground);
const clusterOwner = configMap('b12', 'owner', foreground);
const lostOwner = configMap('b07', 'owner', foreground);
const idleOwner = configMap('b13', 'owner', foreground);
const deniedOwner = configMap('b14', 'owner', foreground);
const orphaner = configMap('b15', 'owner', { ...gone, finalizers: ['orphan'] });

export const ownerBlockades: readonly Blockade[] = [
  {
    name: 'foregroundDeletion and nothing left',
    objects: [lostOwner, configMap('b07', 'free', { ownerReferences: [on(lostOwner, false)] })],
    ask: 'configmap/owner -n b07',
    blockers: ['ConfigMap/owner foreground-lost'],
    fix: 'remove the finalizer foregroundDeletion from ConfigMap owner',
  },
  {
    name: 'a chain of three: owner, dependent, a finalizer below',
    objects: [
      chainTop,
      chainMiddle,
      configMap('b08', 'leaf', {
        ...gone,
        finalizers: ['finalizer.keda.sh'],
        ownerReferences: [on(chainMiddle)],
      }),
    ],
    ask: 'deployment/web -n b08',
    blockers: ['ConfigMap/leaf finalizer-controller-missing'],
    fix: 'remove the finalizer finalizer.keda.sh from ConfigMap leaf',
    afterwards: ['stuck', 'ConfigMap/middle foreground-lost'],
  },
  {
    name: 'an object that blocks itself',
    objects: [configMap('b09', 'selfish', { ...foreground, ownerReferences: [on(selfish)] })],
    ask: 'configmap/selfish -n b09',
    blockers: ['ConfigMap/selfish self-owner'],
    fix: 'let ConfigMap selfish stop blocking ConfigMap selfish (blockOwnerDeletion: false)',
    afterwards: ['stuck', 'ConfigMap/selfish foreground-lost'],
  },
  {
    name: 'a ring',
    objects: [
      configMap('b10', 'a', { ...foreground, ownerReferences: [on(ringB)] }),
      configMap('b10', 'b', { ...foreground, ownerReferences: [on(ringA)] }),
    ],
    ask: 'configmap/a -n b10',
    blockers: ['ConfigMap/a ownership-ring'],
    fix: 'let ConfigMap a stop blocking ConfigMap b (blockOwnerDeletion: false)',
    afterwards: ['stuck', 'ConfigMap/b foreground-lost'],
  },
  {
    name: 'a dependent with a reference that nobody can resolve',
    objects: [
      frozenOwner,
      configMap('b11', 'frozen', {
        ownerReferences: [
          on(frozenOwner),
          { apiVersion: 'gone.example.com/v1', kind: 'Thing', name: 't', uid: 'thing' },
        ],
      }),
    ],
    ask: 'configmap/owner -n b11',
    blockers: ['ConfigMap/frozen dependent-frozen'],
    fix: 'let ConfigMap frozen stop blocking ConfigMap owner (blockOwnerDeletion: false)',
    afterwards: ['stuck', 'ConfigMap/owner foreground-lost'],
  },
  {
    name: 'a cluster-scoped dependent of a namespaced owner',
    objects: [
      clusterOwner,
      made(
        'rbac.authorization.k8s.io/v1',
        'ClusterRole',
        '',
        'b12-role',
        { ownerReferences: [on(clusterOwner)] },
        { rules: [] },
      ),
    ],
    ask: 'configmap/owner -n b12',
    blockers: ['ClusterRole/b12-role dependent-frozen'],
    fix: 'let ClusterRole b12-role stop blocking ConfigMap owner (blockOwnerDeletion: false)',
    afterwards: ['stuck', 'ConfigMap/owner foreground-lost'],
  },
  {
    name: 'a dependent that the collector does not come to',
    objects: [idleOwner, configMap('b13', 'child', { ownerReferences: [on(idleOwner)] })],
    ask: 'configmap/owner -n b13',
    blockers: ['ConfigMap/child dependent-not-collected'],
  },
  {
    name: 'a dependent whose deletion a webhook refuses',
    objects: [
      deniedOwner,
      configMap('b14', 'child', { labels: { deny: 'delete' }, ownerReferences: [on(deniedOwner)] }),
    ],
    ask: 'configmap/owner -n b14',
    blockers: ['ValidatingWebhookConfiguration/dead-deletes admission-webhook-down'],
  },
  {
    name: 'orphan, and a dependent that refers to it still',
    objects: [orphaner, configMap('b15', 'child', { ownerReferences: [on(orphaner, false)] })],
    ask: 'configmap/owner -n b15',
    blockers: ['ConfigMap/owner orphaning'],
  },
  {
    name: 'orphan, and nothing left',
    objects: [configMap('b16', 'x', { ...gone, finalizers: ['orphan'] })],
    ask: 'configmap/x -n b16',
    blockers: ['ConfigMap/x orphaning-lost'],
    fix: 'remove the finalizer orphan from ConfigMap x',
  },
];

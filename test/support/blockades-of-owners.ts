import type { KubeObject } from '../../src/kube/record-codec.ts';
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

/** The step after which an object does not block its first owner. */
const stopsBlocking = (dependent: string, owner: KubeObject) => {
  const path = '/metadata/ownerReferences/0';
  const blocks = `${path}/blockOwnerDeletion`;
  const tests = `test ${path}/uid ${owner.metadata.uid}, test ${blocks} true`;
  return `PATCH ${dependent} ${tests}, replace ${blocks} false`;
};

export const ownerBlockades: readonly Blockade[] = [
  {
    name: 'foregroundDeletion and nothing left',
    objects: [lostOwner, configMap('b07', 'free', { ownerReferences: [on(lostOwner, false)] })],
    ask: 'configmap/owner -n b07',
    blockers: ['ConfigMap/owner foreground-lost'],
    fix: 'PATCH ConfigMap/owner test /metadata/finalizers/0 foregroundDeletion, remove /metadata/finalizers/0',
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
    fix: 'PATCH ConfigMap/leaf test /metadata/finalizers/0 finalizer.keda.sh, remove /metadata/finalizers/0',
    afterwards: ['stuck', 'ConfigMap/middle foreground-lost'],
  },
  {
    name: 'an object blocking itself',
    objects: [configMap('b09', 'selfish', { ...foreground, ownerReferences: [on(selfish)] })],
    ask: 'configmap/selfish -n b09',
    blockers: ['ConfigMap/selfish self-owner'],
    fix: stopsBlocking('ConfigMap/selfish', selfish),
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
    fix: stopsBlocking('ConfigMap/a', ringB),
    afterwards: ['stuck', 'ConfigMap/b foreground-lost'],
  },
  {
    name: 'an unresolvable dependent',
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
    fix: stopsBlocking('ConfigMap/frozen', frozenOwner),
    afterwards: ['stuck', 'ConfigMap/owner foreground-lost'],
  },
  {
    name: 'a cluster-scoped dependent, namespaced owner',
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
    fix: stopsBlocking('ClusterRole/b12-role', clusterOwner),
    afterwards: ['stuck', 'ConfigMap/owner foreground-lost'],
  },
  {
    name: 'an uncollected dependent',
    objects: [idleOwner, configMap('b13', 'child', { ownerReferences: [on(idleOwner)] })],
    ask: 'configmap/owner -n b13',
    blockers: ['ConfigMap/child dependent-not-collected'],
  },
  {
    name: 'a dependent, its deletion refused',
    objects: [
      deniedOwner,
      configMap('b14', 'child', { labels: { deny: 'delete' }, ownerReferences: [on(deniedOwner)] }),
    ],
    ask: 'configmap/owner -n b14',
    blockers: ['ValidatingWebhookConfiguration/dead-deletes admission-webhook-down'],
  },
  {
    name: 'orphan, with a remaining dependent',
    objects: [orphaner, configMap('b15', 'child', { ownerReferences: [on(orphaner, false)] })],
    ask: 'configmap/owner -n b15',
    blockers: ['ConfigMap/owner orphaning'],
  },
  {
    name: 'orphan, and nothing left',
    objects: [configMap('b16', 'x', { ...gone, finalizers: ['orphan'] })],
    ask: 'configmap/x -n b16',
    blockers: ['ConfigMap/x orphaning-lost'],
    fix: 'PATCH ConfigMap/x test /metadata/finalizers/0 orphan, remove /metadata/finalizers/0',
  },
];

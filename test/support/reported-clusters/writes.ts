import type { KubeObject } from '../../../src/kube/record-codec.ts';
import {
  claim,
  configMap,
  deployment,
  foreground,
  made,
  namespace,
  node,
  on,
  pod,
  setBy,
} from '../blockade.ts';
import { customDefinition } from '../custom-resources.ts';
import {
  condition,
  controlledBy,
  held,
  labelled,
  month,
  type ReportedCluster,
  selecting,
  volumeOf,
} from './parts.ts';

/** Promises about writes: what is held, in use, or also owned by another object. */
export const aboutWrites: readonly ReportedCluster[] = [
  {
    name: 'a namespace that is empty but for a finalizer of another program in its metadata',
    objects: [namespace('w02', held('example.com/archive'))],
  },
  {
    name: 'a definition whose condition says that its instances cannot be listed',
    objects: [
      {
        ...customDefinition('Ledger', 'w07.example.com'),
        metadata: {
          ...{ name: 'ledgers.w07.example.com', uid: 'definition-w07', ...month },
          ...held('customresourcecleanup.apiextensions.k8s.io'),
        },
        status: {
          conditions: [
            condition('Terminating', 'True', 'InstanceDeletionFailed', 'could not list instances'),
          ],
          acceptedNames: {},
          storedVersions: ['v1'],
        },
      },
    ],
  },
  {
    name: 'a claim that a pod of a Deployment uses, and a Secret that the claim owns',
    objects: usedClaim('w09'),
  },
  {
    name: 'a finalizer whose program runs and may not patch',
    objects: [
      configMap('w08', 'kept', setBy('vault-operator', 'vault.example.com/release')),
      deployment('w08', 'vault-operator', 1, month),
      made('rbac.authorization.k8s.io/v1', 'Role', 'w08', 'vault-operator', month, {
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
      }),
    ],
  },
  {
    name: 'a dependent of which another living object is an owner, too',
    objects: [
      configMap('w12', 'first', foreground),
      configMap('w12', 'second', month),
      configMap('w12', 'shared', {
        ownerReferences: [on(configMap('w12', 'first')), on(configMap('w12', 'second'), false)],
      }),
    ],
  },
];

function usedClaim(space: string): KubeObject[] {
  const data = claim(space, 'data', { ...month, finalizers: ['kubernetes.io/pvc-protection'] });
  const web = deployment(space, 'web', 1, month);
  const hash = made('apps/v1', 'ReplicaSet', space, 'web-7c', {
    ...{ ...labelled('web'), ownerReferences: [controlledBy(web)] },
  });
  return [
    ...[data, web],
    { ...hash, spec: { replicas: 1, ...selecting('web') }, status: { replicas: 1 } },
    pod(
      ...[space, 'web-7c-1', 'steady'],
      { ...labelled('web'), ownerReferences: [controlledBy(hash)] },
      { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    ),
    node('steady', 'True'),
    volumeOf('data', space, `volume-${space}`, 'Delete', 'Bound'),
    made('v1', 'Secret', space, 'passphrase', { ownerReferences: [on(data)] }, { type: 'Opaque' }),
  ];
}

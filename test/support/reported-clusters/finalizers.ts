import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { configMap, deployment, type Extra, made, setBy } from '../blockade.ts';
import { held, month, type ReportedCluster, volumeOf } from './parts.ts';

/** Who removes a finalizer. */
export const aboutFinalizers: readonly ReportedCluster[] = [
  {
    name: 'an unknown finalizer beside a program that may change everything',
    objects: [
      configMap('f01', 'kept', held('example.org/unplug')),
      deployment('f01', 'argocd-server', 1, month),
      made('rbac.authorization.k8s.io/v1', 'Role', 'f01', 'argocd-server', month, {
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      }),
    ],
  },
  {
    name: 'a finalizer that shares a common word with a program',
    objects: [
      configMap('f02', 'kept', held('machinepool.cluster.x-k8s.io')),
      deployment('f02', 'cluster-autoscaler', 1, month),
    ],
  },
  {
    name: 'a finalizer of no list whose program is scaled to 0',
    objects: [configMap('f03', 'kept', held('dormouse.example.com/nap')), scaledDown('f03')],
  },
  {
    name: 'thirty objects with one dead finalizer',
    objects: Array.from({ length: 30 }, (_, at) =>
      configMap('f04', `kept-${at}`, setBy('walrus-operator', 'walrus.example.com/count')),
    ),
  },
  {
    name: 'a volume with policy Retain and the finalizer of a provisioner',
    objects: [
      {
        ...volumeOf('none', 'f08', 'volume-f08', 'Retain', 'Released'),
        metadata: {
          ...{ name: 'volume-f08', uid: 'volume-f08', ...month },
          ...held('external-provisioner.volume.kubernetes.io/finalizer'),
        },
      },
    ],
  },
];

function scaledDown(space: string): KubeObject {
  const program: KubeObject = deployment(space, 'dormouse-operator', 0, month);
  return { ...program, spec: { ...(program.spec as Extra), replicas: 0 }, status: {} };
}

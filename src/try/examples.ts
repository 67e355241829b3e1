import type { Choice } from './answer.ts';

interface Example {
  readonly title: string;
  /** As the list of objects names it. */
  readonly target: string;
  readonly policy: Choice;
  readonly text: string;
}

const meta = (name: string, uid: number, more = '') =>
  `metadata: {name: ${name}, namespace: shop, uid: '${uid}'${more}}`;
const ownedBy = (apiVersion: string, kind: string, name: string, uid: number, blocks = true) =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: '${uid}', controller: ${blocks}, blockOwnerDeletion: ${blocks}}`;
const replicaSet = ownedBy('apps/v1', 'Deployment', 'web', 1);
const pod = ownedBy('apps/v1', 'ReplicaSet', 'web-5d7c', 2);
const documents = (...all: readonly string[]) => `${all.join('\n---\n')}\n`;

/** A Deployment with a ReplicaSet and two Pods; the second has a finalizer, where one is named. */
const web = (finalizer = '') => [
  `apiVersion: apps/v1\nkind: Deployment\n${meta('web', 1)}`,
  `apiVersion: apps/v1\nkind: ReplicaSet\n${meta('web-5d7c', 2, `,\n  ownerReferences: [${replicaSet}]`)}`,
  `apiVersion: v1\nkind: Pod\n${meta('web-5d7c-a', 3, `,\n  ownerReferences: [${pod}]`)}`,
  `apiVersion: v1\nkind: Pod\n${meta('web-5d7c-b', 4, `,\n  ownerReferences: [${pod}]${finalizer && `, finalizers: [${finalizer}]`}`)}`,
];

export const examples: readonly Example[] = [
  {
    title: 'A Deployment, with each policy',
    target: 'deployment.apps/web -n shop',
    policy: 'compare',
    text: documents(...web()),
  },
  {
    title: 'Foreground, and a finalizer that no program removes',
    target: 'deployment.apps/web -n shop',
    policy: 'Foreground',
    text: documents(...web('example.com/backup')),
  },
  {
    title: 'A Secret with two owners, one of which is deleted',
    target: 'configmap/first -n shop',
    policy: 'Background',
    text: documents(
      `apiVersion: v1\nkind: ConfigMap\n${meta('first', 1)}`,
      `apiVersion: v1\nkind: ConfigMap\n${meta('second', 2)}`,
      `apiVersion: v1\nkind: Secret\n${meta(
        'shared',
        3,
        `,\n  ownerReferences: [${ownedBy('v1', 'ConfigMap', 'first', 1, false)}, ${ownedBy('v1', 'ConfigMap', 'second', 2, false)}]`,
      )}`,
    ),
  },
  {
    title: 'A namespace with its contents',
    target: 'namespace/shop',
    policy: 'Background',
    text: documents(
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: '9'}\nspec: {finalizers: [kubernetes]}`,
      ...web(),
      `apiVersion: v1\nkind: PersistentVolumeClaim\n${meta('data', 5, ', finalizers: [kubernetes.io/pvc-protection]')}`,
    ),
  },
];

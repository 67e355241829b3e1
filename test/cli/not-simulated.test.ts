import { expect, test } from 'vitest';
import { notSimulated } from '../../src/commands/simulate/not-simulated.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { builderOf, deployment, node, pod } from '../support/builders.ts';
import { casesOf } from '../support/rows.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const attachment = builderOf('storage.k8s.io/v1', 'VolumeAttachment');
const worker = node('worker', { facts: { taints: [] } });
const tainted = node('worker', { facts: { taints: [{ key: 'full', effect: 'NoExecute' }] } });
const read = pod('read', { facts: { nodeName: 'worker' } });
const unread = pod('unread');
const attached = attachment('attached', { facts: { attachment: { nodeName: 'worker' } } });
const protection = {
  deleting: 'background',
  finalizers: ['kubernetes.io/pvc-protection'],
} as const;
const held = (name: string, facts?: object) =>
  claim(name, { ...protection, ...(facts && { facts }) });
const web = (generation: number) => deployment('web', { facts: { generation } });

const changes: Readonly<Record<string, readonly [before: ObjectRecord[], after: ObjectRecord[]]>> =
  {
    'everything was read': [[worker, read], [read]],
    'pods of a Node that is gone': [[worker, unread], [unread]],
    'pods of a tainted Node': [
      [worker, unread],
      [tainted, unread],
    ],
    'volumes of deleted Nodes': [[worker, attached], [attached]],
    'who uses a claim': [[], [held('data'), held('known', {}), read]],
    'volumes of deleted claims': [[claim('data'), volume('disk')], [volume('disk')]],
    'what a changed Deployment leads to': [[web(1)], [web(2)]],
  };

test.each(
  casesOf(`
everything was read
pods of a Node that is gone
  It was not read which pods are bound to worker: pod-garbage-collector deletes them, and no step shows it.
pods of a tainted Node
  It was not read which pods are bound to worker and do not tolerate NoExecute: taint-eviction deletes them, and no step shows it.
volumes of deleted Nodes
  Volumes are attached to worker: persistentvolume-attach-detach-controller detaches attached, which is not simulated.
who uses a claim
  Pods were not read, so it is unknown whether they use the claims data: unused claims are deleted without a step.
volumes of deleted claims
  It was not read which volumes are bound to the claims data: no step shows what becomes of those volumes.
what a changed Deployment leads to
  What the controllers make or take away for the changed Deployment web is not simulated.
`),
)('%s', (what = '', ...remarks) => {
  const [before = [], after = []] = changes[what] ?? [];
  expect(notSimulated(before, after, () => true)).toEqual(remarks);
  const nobody = notSimulated(before, after, () => false);
  expect(nobody).toEqual(remarks.filter((remark) => remark.startsWith('What')));
});

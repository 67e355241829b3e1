import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { configMap, gone } from '../support/blockade.ts';
import { configMap as recordNamed, servedTypes } from '../support/builders.ts';
import { bound, clusterRole, lease, program, readAt, rule } from './database-stage.ts';

const finalizers = ['db.example.com/cleanup', 'karpenter.sh/termination'];

/** Diagnoses so many ConfigMaps that the same finalizers hold; how often parts of the rest of the cluster were read. */
async function partsRead(deletions: number): Promise<Record<string, number>> {
  const read: Record<string, number> = {};
  const counting = (object: KubeObject) =>
    new Proxy(object, {
      get(target, part) {
        const isLookedUp = ['apiVersion', 'kind', 'metadata'].includes(String(part));
        const what = `${target.kind} ${String(part)}`;
        if (!isLookedUp) read[what] = (read[what] ?? 0) + 1;
        return Reflect.get(target, part);
      },
    });
  const cluster = [
    program(),
    clusterRole([rule({ apiGroups: [''], resources: ['secrets'] })]),
    bound('ClusterRole'),
    lease('unrelated', readAt),
  ].map(counting);
  const names = Array.from({ length: deletions }, (_, index) => `held-${index}`);
  const held = names.map((name) => configMap('x', name, { ...gone, finalizers }));
  await investigate(
    { types: servedTypes, serverVersion: undefined, origin: 'cluster', isCurrent: true },
    (inquiry) => names.map((name) => diagnose(inquiry, recordNamed(name, { namespace: 'x' }))),
    answerFromObjects([...held, ...cluster], servedTypes, readAt),
  );
  return read;
}

test('who may remove a finalizer is looked for once, however many objects it holds', async () => {
  const once = await partsRead(1);
  expect(Object.keys(once).sort()).toEqual([
    'ClusterRole rules',
    'ClusterRoleBinding roleRef',
    'ClusterRoleBinding subjects',
    'Deployment spec',
    'Deployment status',
    'Lease spec',
  ]);
  expect(await partsRead(100)).toEqual(once);
});

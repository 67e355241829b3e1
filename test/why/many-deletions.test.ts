import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { configMap, gone } from '../support/blockade.ts';
import { configMap as recordNamed, servedTypes } from '../support/builders.ts';
import { bound, clusterRole, lease, program, readAt, rule } from './database-stage.ts';
import { asked } from './diagnosed.ts';

const finalizers = ['db.example.com/cleanup', 'karpenter.sh/termination'];

/** Diagnoses so many ConfigMaps that the same finalizers hold; how often parts of the rest of the cluster were read. */
async function partsRead(deletions: number): Promise<Record<string, number>> {
  const read: Record<string, number> = {};
  const counting = <T extends object>(kind: string, object: T, parts?: readonly string[]): T =>
    new Proxy(object, {
      get(target, part) {
        const isLookedUp = ['apiVersion', 'kind', 'metadata'].includes(String(part));
        const what = `${kind} ${String(part)}`;
        if (parts ? parts.includes(String(part)) : !isLookedUp) read[what] = (read[what] ?? 0) + 1;
        return Reflect.get(target, part);
      },
    });
  const cluster = [
    program(),
    clusterRole([rule({ apiGroups: [''], resources: ['secrets'] })]),
    bound('ClusterRole'),
    lease('unrelated', readAt),
  ].map((object) => counting(object.kind, object));
  const names = Array.from({ length: deletions }, (_, index) => `held-${index}`);
  const held = names.map((name) => configMap('x', name, { ...gone, finalizers }));
  const answer = answerFromObjects([...held, ...cluster], servedTypes, readAt);
  await investigate(
    asked,
    (inquiry) => names.map((name) => diagnose(inquiry, recordNamed(name, { namespace: 'x' }))),
    (query) => {
      const given = answer(query);
      if (query.ask !== 'list' || !('value' in given)) return given;
      const records = given.value as readonly ObjectRecord[];
      const value = records.map((record) => counting(record.type.kind, record, ['facts']));
      return { ...given, value };
    },
  );
  return read;
}

test('who may remove a finalizer is searched once, however many objects have it', async () => {
  const once = await partsRead(1);
  expect(Object.keys(once).sort()).toEqual([
    'ClusterRole facts',
    'ClusterRole kubectl-gc',
    'ClusterRole rules',
    'ClusterRoleBinding facts',
    'ClusterRoleBinding kubectl-gc',
    'ClusterRoleBinding roleRef',
    'ClusterRoleBinding subjects',
    'Deployment facts',
    'Deployment kubectl-gc',
    'Deployment spec',
    'Deployment status',
    'Lease facts',
    'Lease kubectl-gc',
    'Lease spec',
  ]);
  expect(await partsRead(100)).toEqual(once);
});

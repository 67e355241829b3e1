import { expect, test } from 'vitest';
import { crowdedOwner } from '../../../../src/audit/rules/objects/crowded-owner.ts';
import { deployment, ownedBy, pod, replicaSet } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const web = deployment('web');
const ownerReferences = [ownedBy(web)];
const pods = (count: number) =>
  Array.from({ length: count }, (_, n) => pod(`web-${n}`, { ownerReferences }));

test.each([
  [5000, {}],
  [50_000, { severity: 'warning' }],
])('more than %s dependents', (count, more) => {
  const records = [web, ...pods(count), replicaSet('web', { ownerReferences })];
  expect(violationsOf(crowdedOwner, records)).toEqual([
    {
      at: 'Deployment web',
      message: `${count + 1} objects name it as an owner: ${count} Pods, 1 ReplicaSet`,
      command: 'kubectl gc tree deployment.apps/web -n shop',
      related: [],
      ...more,
    },
  ]);
});

test('5000 are as many as a DaemonSet has on the largest cluster', () => {
  expect(violationsOf(crowdedOwner, [web, ...pods(5000)])).toEqual([]);
});

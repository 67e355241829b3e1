import { describe, expect, test } from 'vitest';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import {
  blocking,
  configMap,
  deployment,
  node,
  ownedBy,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';
import { fates, planned } from './planned.ts';

const web = deployment('web');
const current = replicaSet('web-1', { ownerReferences: [ownedBy(web, blocking)] });
const running = { nodeName: 'a', phase: 'Running', terminationGracePeriodSeconds: 30 };
const first = pod('web-1-a', { ownerReferences: [ownedBy(current, blocking)], facts: running });
const cluster = [node('a'), web, current, first, secret('unrelated')];

describe('a tree', () => {
  test('goes in the background', () => {
    expect(planned(cluster, web)).toEqual({
      apiVersion: 'kubectl-gc/v1',
      kind: 'Plan',
      cluster: { server: 'https://shop.example.com', uid: 'uid-of-kube-system' },
      createdAt: '2026-01-03T00:00:00Z',
      requests: [
        {
          verb: 'delete',
          ...referenceTo(web),
          dependsOn: { finalizers: [], owners: [], terminating: false },
          propagationPolicy: 'Background',
        },
      ],
      objects: [
        {
          ...referenceTo(web),
          wave: 0,
          fate: 'deleted',
          because: expect.any(String),
          rule: 'GC-61',
          blockedBy: [],
        },
        {
          ...referenceTo(current),
          wave: 1,
          goesWith: 'uid-deployment-shop-web',
          fate: 'deleted',
          because: expect.stringContaining('Deployment web'),
          rule: 'GC-22.13',
          blockedBy: [],
        },
        {
          ...referenceTo(first),
          wave: 2,
          goesWith: 'uid-replicaset-shop-web-1',
          fate: 'deleted',
          because: expect.stringMatching(/^ReplicaSet web-1 .*30s/),
          rule: 'GC-22.13',
          blockedBy: [],
        },
      ],
      remarks: [],
      undetermined: [],
      coverage: { complete: true, kinds: expect.any(Number), objects: 5, problems: [] },
    });
  });

  test('goes in the foreground', () => {
    const plan = planned(cluster, web, { policy: 'Foreground' });
    const told = plan.objects.map(
      ({ kind, fate, rule, because }) => `${kind}: ${fate} (${rule}): ${because}`,
    );
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "Deployment: deleted (GC-57): requested; it is marked as being deleted and waits for foregroundDeletion; no dependent blocks its deletion any more
      ReplicaSet: deleted (GC-22.12): Deployment web is being deleted in the foreground; no dependent blocks its deletion any more
      Pod: deleted (GC-22.13): ReplicaSet web-1 is being deleted in the foreground; removed after its containers on a stop (grace period 30s)"
    `);
  });

  test('is orphaned', () => {
    expect(fates(planned(cluster, web, { policy: 'Orphan' }))).toEqual([
      '0 Deployment web: deleted (GC-57)',
      '1 ReplicaSet web-1: orphaned (GC-37)',
    ]);
  });
});

test('an object that another owner keeps is kept, and the owner is named', () => {
  const other = deployment('other');
  const shared = configMap('shared', { ownerReferences: [ownedBy(web), ownedBy(other)] });
  expect(planned([web, other, shared], web).objects[1]).toEqual({
    ...referenceTo(shared),
    wave: 1,
    goesWith: 'uid-deployment-shop-web',
    fate: 'kept',
    because: expect.stringContaining('Deployment other'),
    rule: 'GC-22.11',
    blockedBy: [],
  });
});

test('an object that ends in one of several ways with the deletion and without it is not named', () => {
  const ending = configMap('ending', { deleting: 'foreground', finalizers: ['orphan'] });
  const owned = configMap('owned', { ownerReferences: [ownedBy(ending, blocking)] });
  const { objects } = planned([ending, owned], owned, { policy: 'Orphan' });
  expect(objects.map(({ name }) => name)).toEqual(['owned']);
});

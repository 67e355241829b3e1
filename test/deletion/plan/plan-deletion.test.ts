import { describe, expect, test } from 'vitest';
import {
  blocking,
  configMap,
  deployment,
  job,
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
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          uid: 'uid-deployment-shop-web',
          dependsOn: { finalizers: [], owners: [], terminating: false },
          propagationPolicy: 'Background',
          wave: 0,
        },
      ],
      objects: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          uid: 'uid-deployment-shop-web',
          wave: 0,
          fate: 'deleted',
          because: 'requested; nothing holds it, so it is gone at once',
          rule: 'GC-61',
          blockedBy: [],
        },
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          namespace: 'shop',
          name: 'web-1',
          uid: 'uid-replicaset-shop-web-1',
          wave: 1,
          goesWith: 'uid-deployment-shop-web',
          fate: 'deleted',
          because: 'Deployment web is gone',
          rule: 'GC-22.13',
          blockedBy: [],
        },
        {
          apiVersion: 'v1',
          kind: 'Pod',
          namespace: 'shop',
          name: 'web-1-a',
          uid: 'uid-pod-shop-web-1-a',
          wave: 2,
          goesWith: 'uid-replicaset-shop-web-1',
          fate: 'deleted',
          because:
            'ReplicaSet web-1 is gone; its containers on a have stopped: the grace period of 30 s is over',
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
    expect(plan.objects.map(({ kind, fate, because }) => [kind, fate, because])).toEqual([
      [
        'Deployment',
        'deleted',
        'requested; it is marked as being deleted and waits for foregroundDeletion; no dependent that blocks its deletion is left',
      ],
      [
        'ReplicaSet',
        'deleted',
        'Deployment web is being deleted in the foreground; no dependent that blocks its deletion is left',
      ],
      [
        'Pod',
        'deleted',
        'ReplicaSet web-1 is being deleted in the foreground; its containers on a have stopped: the grace period of 30 s is over',
      ],
    ]);
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
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'shared',
    uid: 'uid-configmap-shop-shared',
    wave: 1,
    goesWith: 'uid-deployment-shop-web',
    fate: 'kept',
    because:
      'also owned by Deployment other; Deployment web is gone; Deployment other exists: only references to living owners stay',
    rule: 'GC-22.11',
    blockedBy: [],
  });
});

const drained =
  'requested; it is marked as being deleted and waits for shop.example.com/drain; nothing that is simulated removes its finalizer shop.example.com/drain';

describe('from the leaves up', () => {
  test('every object is requested, dependents before their owners', () => {
    const plan = planned(cluster, web, { order: 'leaf-first', policy: 'Foreground' });
    expect(
      plan.requests.map(({ wave, kind, propagationPolicy }) => [wave, kind, propagationPolicy]),
    ).toEqual([
      [0, 'Pod', 'Background'],
      [1, 'ReplicaSet', 'Background'],
      [2, 'Deployment', 'Background'],
    ]);
    // What goes only because its owner goes says so.
    const [pod, set, deployment] = plan.requests;
    expect([pod, set, deployment].map((request) => request?.asDependent)).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(fates(plan)).toEqual([
      '2 Deployment web: deleted (GC-61)',
      '0 Pod web-1-a: deleted (GC-60)',
      '1 ReplicaSet web-1: deleted (GC-61)',
    ]);
  });

  test('what happens elsewhere while the waves go is not in the plan', () => {
    // Its time is up 65 minutes later.
    const done = job('done', {
      facts: {
        conditions: [
          { type: 'Complete', status: 'True', lastTransitionTime: '2026-01-02T23:59:00Z' },
        ],
        ttlSecondsAfterFinished: 66 * 60,
      },
    });
    const chain = [configMap('a')];
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const ownerReferences = chain.slice(-1).map((owner) => ownedBy(owner));
      chain.push(configMap(name, { ownerReferences }));
    }
    const targets = chain.slice(0, 1);
    const plan = planned([...chain, done], targets, { order: 'leaf-first' });
    expect(
      plan.objects
        .map(({ name }) => name)
        .toSorted()
        .join(''),
    ).toBe('abcdefgh');
  });

  test('what another owner keeps is not requested, and a ring shares a wave', () => {
    const other = deployment('other');
    const shared = configMap('shared', { ownerReferences: [ownedBy(web), ownedBy(other)] });
    const yin = configMap('yin', {
      ownerReferences: [ownedBy(web), { ...ownedBy(configMap('yang')) }],
    });
    const yang = configMap('yang', { ownerReferences: [ownedBy(yin)] });
    const plan = planned([web, other, shared, yin, yang], [web, yin], { order: 'leaf-first' });
    expect(plan.requests.map(({ wave, name }) => `${wave} ${name}`)).toEqual([
      '0 yang',
      '0 yin',
      '1 web',
    ]);
    expect(fates(plan)).toEqual([
      '1 Deployment web: deleted (GC-61)',
      '0 ConfigMap yin: deleted (GC-61)',
      '0 ConfigMap yang: deleted (GC-61)',
      '1 ConfigMap shared: kept (GC-22.11)',
    ]);
  });

  test('a wave that does not end keeps the later ones from being sent', () => {
    const held = pod('web-1-b', {
      ownerReferences: [ownedBy(current, blocking)],
      finalizers: ['shop.example.com/drain'],
    });
    const plan = planned([...cluster, held], web, { order: 'leaf-first' });
    expect(plan.objects.map(({ name, fate, because }) => [name, fate, because])).toEqual([
      ['web', 'kept', `not requested before Pod web-1-b is gone, which stays: ${drained}`],
      [
        'web-1-a',
        'deleted',
        'requested; it is marked as being deleted with a grace period of 30 s; its containers on a have stopped: the grace period of 30 s is over',
      ],
      ['web-1-b', 'terminating', drained],
      ['web-1', 'kept', `not requested before Pod web-1-b is gone, which stays: ${drained}`],
    ]);
    expect(plan.requests).toHaveLength(4);
  });

  test('orphaning is something else', () => {
    expect(() => planned(cluster, web, { order: 'leaf-first', policy: 'Orphan' })).toThrow(
      'deleting from the leaves up deletes the dependents, and Orphan leaves them',
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  secret,
} from '../../support/builders.ts';
import { beginning, hold, type PlayOptions, remove, simulateObjects } from '../play-out.ts';

const namespace = builderOf('v1', 'Namespace');
const shop = namespace('shop', { facts: { specFinalizers: ['kubernetes'], phase: 'Active' } });
const bound = { nodeName: 'node', phase: 'Running', terminationGracePeriodSeconds: 30 };

/** Deletes namespace `shop` with all controllers, unless said otherwise, and tells what is left and how long it took. */
function deleteShop(records: readonly ObjectRecord[], options: PlayOptions = {}) {
  const simulation = simulateObjects(records, [remove(shop)], { controllers: ['*'], ...options });
  const last = simulation.steps.at(-1);
  return {
    simulation,
    left: simulation.objects.map(
      ({ type, name, deletionTimestamp }) =>
        `${type.kind} ${name}${deletionTimestamp === undefined ? '' : ' terminating'}`,
    ),
    seconds: last ? Math.floor((Date.parse(last.at) - beginning) / 1000) : 0,
    conditions: Object.fromEntries(
      (simulation.objects.find(({ name }) => name === 'shop')?.facts?.conditions ?? []).map(
        ({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`],
      ),
    ),
  };
}

const fine = {
  NamespaceDeletionDiscoveryFailure:
    'False ResourcesDiscovered: All resources successfully discovered',
  NamespaceDeletionGroupVersionParsingFailure:
    'False ParsedGroupVersions: All legacy kube types successfully parsed',
  NamespaceDeletionContentFailure:
    'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
  NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
  NamespaceFinalizersRemaining:
    'False ContentHasNoFinalizers: All content-preserving finalizers finished',
};

describe('deleting a namespace', () => {
  test('touches nothing else while a pod is left, and claims that all is well', () => {
    const { left, conditions, simulation } = deleteShop([
      shop,
      pod('p', { facts: bound }),
      pod('unbound', { facts: { nodeName: '' } }),
      configMap('web'),
    ]);
    expect(left).toEqual(['Namespace shop terminating', 'Pod p terminating', 'ConfigMap web']);
    // Without a kubelet nobody removes the pod, so the controller gives up when its grace is over.
    expect(conditions).toEqual({
      ...fine,
      NamespaceDeletionContentFailure:
        'True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
    });
    expect(simulation.ended).toBe('stuck');
  });

  test('takes as long as its pods', () => {
    const records = [shop, pod('p', { facts: bound }), configMap('web')];
    const { left, seconds } = deleteShop(records, { kubelets: true });
    // Looks at 5 s, 5 s after the conditions were written, and then every 30 / 2 + 1 s; the pod goes at 35 s.
    expect({ left, seconds }).toEqual({ left: [], seconds: 42 });
  });

  test('tells which content and which finalizers are left', () => {
    const { left, conditions } = deleteShop([
      shop,
      deployment('web', { finalizers: [hold] }),
      deployment('api', { finalizers: [hold, 'example.com/other'] }),
      configMap('web', { finalizers: [hold] }),
      secret('s'),
    ]);
    expect(left).toEqual([
      'Namespace shop terminating',
      'Deployment web terminating',
      'Deployment api terminating',
      'ConfigMap web terminating',
    ]);
    expect(conditions).toEqual({
      ...fine,
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 2 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances, example.com/other in 1 resource instances',
    });
  });

  test('ends a foreground deletion that a frozen dependent blocked', () => {
    const owner = deployment('web', { deleting: 'foreground' });
    const blocker = configMap('frozen', {
      ownerReferences: [
        ownedBy(owner, blocking),
        ownedBy(owner, { apiVersion: 'gone.example.com/v1', kind: 'Gone', uid: 'u' }),
      ],
    });
    expect(deleteShop([shop, owner, blocker]).left).toEqual([]);
  });

  test('works for one that only its content shows', () => {
    const { left, simulation } = deleteShop([configMap('web')]);
    expect({ left, replies: simulation.replies }).toEqual({
      left: [],
      replies: [{ code: 200, reason: '' }],
    });
    expect(deleteShop([configMap('web', { namespace: 'b' })]).simulation.replies[0]?.code).toBe(
      404,
    );
  });
});

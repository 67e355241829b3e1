import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
} from '../../support/builders.ts';
import { beginning, type PlayOptions, remove, simulateObjects } from '../play-out.ts';

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
  };
}

describe('deleting a namespace', () => {
  test('takes as long as its pods', () => {
    const records = [shop, pod('p', { facts: bound }), configMap('web')];
    const { left, seconds } = deleteShop(records, { kubelets: true });
    // Looks at 5 s, 5 s after the conditions were written, and then every 30 / 2 + 1 s; the pod goes at 35 s.
    expect({ left, seconds }).toEqual({ left: [], seconds: 42 });
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

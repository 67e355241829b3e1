import { expect, test } from 'vitest';
// In your own project: from 'kubectl-gc'.
import { fromFiles, simulate } from '../src/index.ts';

/**
 * A test for what an operator's owner references lead to: dump the objects it made in a test cluster
 * (kubectl get all,cm,secret -o yaml), and ask what a deletion would leave.
 */
test('deleting a Deployment takes its pods along, and nothing else of the shop', async () => {
  const shop = new URL('clusters/shop.json.gz', import.meta.url).pathname;
  const snapshot = await fromFiles([shop], { now: new Date('2026-01-01T00:00:00Z') });
  const cart = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'cart' };

  const idle = simulate(snapshot, []);
  const { objects, undetermined } = simulate(snapshot, [
    { ...cart, verb: 'delete', propagationPolicy: 'Background' },
  ]);

  const left = new Set(objects.map(({ metadata }) => metadata.uid));
  const gone = idle.objects.filter(({ metadata }) => !left.has(metadata.uid));
  expect(gone.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    'Deployment cart',
    'Pod cart-5947995c94-fnfcq',
    'Pod cart-5947995c94-vk9hn',
    'ReplicaSet cart-5768cbccf',
    'ReplicaSet cart-5947995c94',
  ]);
  expect(undetermined).toEqual([]);
});

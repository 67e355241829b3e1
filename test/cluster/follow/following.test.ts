import { expect, test } from 'vitest';
import { Following } from '../../../src/cluster/follow/following.ts';
import { fakeClient, patience } from '../fake-client.ts';

test('a look that could not read the cluster is followed by one that reads it', async () => {
  const following = new Following(() => undefined);
  const pods = {
    resource: 'pods',
    responseKind: { kind: 'Pod' },
    scope: 'Namespaced',
    verbs: ['get', 'list'],
  };
  const discovered = (name: string, ...resources: object[]) => ({
    body: {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name }, versions: [{ version: 'v1', resources }] }],
    },
  });
  const client = fakeClient({
    '/api': [{ body: 'no JSON' }, discovered('', pods)],
    '/apis': discovered('apps'),
    '/version': { body: { gitVersion: 'v1.36.3' } },
  });
  const look = () => following.snapshot(client, {}, { retry: patience() });
  try {
    await expect(look()).rejects.toMatchObject({ exitCode: 3 });
    expect((await look()).serverVersion).toBe('v1.36.3');
    const asked = client.paths.length;
    await look();
    expect(client.paths).toHaveLength(asked);
  } finally {
    following.stop();
  }
});

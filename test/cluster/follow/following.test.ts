import { expect, test } from 'vitest';
import { Following } from '../../../src/cluster/follow/following.ts';
import { fakeClient, patience } from '../fake-client.ts';

test('a look that could not read the cluster is followed by one that reads it', async () => {
  const following = new Following(() => undefined);
  const version = { groupVersion: 'apps/v1', version: 'v1' };
  const pods = { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get', 'list'] };
  const apps = { name: 'apps', versions: [version], preferredVersion: version };
  const client = fakeClient({
    '/api': [{ body: 'no JSON' }, { body: { kind: 'APIVersions', versions: ['v1'] } }],
    '/apis': { body: { kind: 'APIGroupList', groups: [apps] } },
    '/api/v1': { body: { kind: 'APIResourceList', groupVersion: 'v1', resources: [pods] } },
    '/apis/apps/v1': { body: { kind: 'APIResourceList', groupVersion: 'apps/v1', resources: [] } },
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

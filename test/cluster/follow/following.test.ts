import { expect, test } from 'vitest';
import { WatchCache } from '../../../src/cluster/follow/following.ts';
import { aggregated, group, served, version } from '../discovery-answer.ts';
import { fakeClient, patience } from '../fake-client.ts';

test('a look that could not read the cluster is followed by one that reads it', async () => {
  const following = new WatchCache(() => undefined);
  const client = fakeClient({
    '/api': [
      { body: 'no JSON' },
      aggregated(group('', version('v1', served('pods', { verbs: ['get', 'list'] })))),
    ],
    '/apis': aggregated(group('apps', version('v1'))),
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentials } from './parity/credentials.ts';
import { kubeconfigs } from './parity/kubeconfigs.ts';
import { outcomeOfKubectl, outcomeOfOurs } from './parity/parity.ts';
import { startWorld, type World } from './parity/parity-world.ts';
import { oidc, plugins } from './parity/plugins.ts';
import { proxies, servers } from './parity/servers.ts';
import { situationsOf } from './parity/situations.ts';

/** Where kubectl asks for a password or drops an input, and we do not follow. */
const differences = situationsOf(`
without credentials we are anonymous and ask nothing | cluster: {}
an empty token file is named | user: {tokenFile: token}, files: {.kube/token: ''}
a user that is missing from the kubeconfig is named | cluster: {}, context: {user: gone}
an --as-user-extra without a value is not dropped | user: t, options: {as: ann, as-user-extra: [scopes]}
`);

describe('beside the real kubectl', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  describe.each([
    ['credentials', credentials],
    ['servers', servers],
    ['kubeconfigs', kubeconfigs],
    ['proxies', proxies],
    ['plugins', [...plugins, ...oidc]],
  ])('sends the same, fails alike: %s', (_, situations) => {
    test.each(situations)('%s', async (_name, situationIn) => {
      const situation = situationIn(world);
      const theirs = await outcomeOfKubectl(situation, world.take);
      const ours = await outcomeOfOurs(situation, world.take);
      const overHttp2 = await outcomeOfOurs(situation, world.take, true);
      expect([ours, overHttp2]).toEqual([theirs, theirs]);
    });
  });

  test('all of this over HTTP/2 and HTTP/1.1', async () => {
    expect([...world.versions].toSorted()).toEqual(['1.1', '2.0']);
  });

  /** How each fails, and the Authorization of each request of ours. */
  test('differs', async () => {
    const told: unknown[] = [];
    for (const [, situationIn] of differences) {
      const situation = situationIn(world);
      const theirs = await outcomeOfKubectl(situation, world.take);
      const ours = await outcomeOfOurs(situation, world.take);
      const asked = ours.seen.requests.map(({ authorization }) => authorization);
      told.push([theirs.failure, ours.failure, asked]);
    }
    expect(told).toEqual([
      ['asked for a user name', '', [undefined]],
      ['asked for a user name', 'token-file-unusable', []],
      ['asked for a user name', 'unknown-user', []],
      ['', 'invalid-user-extra', []],
    ]);
  });
});

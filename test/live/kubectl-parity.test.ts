import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentialCases } from './parity/cases/credentials.ts';
import { kubeconfigCases } from './parity/cases/kubeconfigs.ts';
import { pluginCases } from './parity/cases/plugins.ts';
import { proxyCases } from './parity/cases/proxies.ts';
import { serverCases } from './parity/cases/servers.ts';
import { caseOf, type ParityRow } from './parity/kubeconfig-of.ts';
import { outcomeOfKubectl, outcomeOfOurs } from './parity/parity.ts';
import { startWorld, type World } from './parity/parity-world.ts';

/** Where kubectl asks for a password, drops an input or refuses, and we do not follow: how each fails, and the Authorization of each request of ours. */
const differences: readonly [string, ParityRow, string, string, (string | undefined)[]?][] = [
  [
    'without credentials we are anonymous and ask nothing',
    { cluster: {} },
    'asked for a user name',
    '',
    [undefined],
  ],
  [
    'an empty token file is named',
    { user: { tokenFile: 'token' }, files: { '.kube/token': '' } },
    'asked for a user name',
    'token-file-unusable',
  ],
  [
    'a user that is missing from the kubeconfig is named',
    { cluster: {}, context: { user: 'gone' } },
    'asked for a user name',
    'unknown-user',
  ],
  [
    'an --as-user-extra without a value is not dropped',
    { user: { token: 't' }, options: { as: 'ann', 'as-user-extra': ['scopes'] } },
    '',
    'invalid-user-extra',
  ],
];

describe('beside the real kubectl', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  describe.each([
    ['credentials', credentialCases],
    ['servers', serverCases],
    ['kubeconfigs', kubeconfigCases],
    ['proxies', proxyCases],
    ['plugins', pluginCases],
  ])('sends the same and fails alike: %s', (_, cases) => {
    test.each(Object.entries(cases))('%s', async (_name, row) => {
      const situation = caseOf(row, world);
      const theirs = await outcomeOfKubectl(situation, world.take);
      const ours = await outcomeOfOurs(situation, world.take);
      const overHttp2 = await outcomeOfOurs(situation, world.take, true);
      expect([ours, overHttp2]).toEqual([theirs, theirs]);
    });
  });

  test('all of this over HTTP/2 and HTTP/1.1', async () => {
    expect([...world.versions].toSorted()).toEqual(['1.1', '2.0']);
  });

  test.each(differences)('differs: %s', async (_, row, kubectl, own, authorizations = []) => {
    const situation = caseOf(row, world);
    const theirs = await outcomeOfKubectl(situation, world.take);
    const ours = await outcomeOfOurs(situation, world.take);
    const asked = ours.seen.requests.map(({ authorization }) => authorization);
    expect([theirs.failure, ours.failure, asked]).toEqual([kubectl, own, authorizations]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentialCases } from './parity/cases/credentials.ts';
import { deliberateDifferences } from './parity/cases/deliberate-differences.ts';
import { kubeconfigCases } from './parity/cases/kubeconfigs.ts';
import { pluginCases } from './parity/cases/plugins.ts';
import { proxyCases } from './parity/cases/proxies.ts';
import { serverCases } from './parity/cases/servers.ts';
import { caseOf } from './parity/kubeconfig-of.ts';
import { outcomeOfKubectl, outcomeOfOurs } from './parity/parity.ts';
import { startWorld, type World } from './parity/parity-world.ts';

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

  test.each(Object.entries(deliberateDifferences))('differs: %s', async (_name, difference) => {
    const situation = caseOf(difference.row, world);
    const theirs = await outcomeOfKubectl(situation, world.take);
    const ours = await outcomeOfOurs(situation, world.take);
    const asked = ours.seen.requests.map(({ authorization }) => authorization);
    expect({ theirs: theirs.failure, ours: ours.failure, asked }).toEqual({
      theirs: difference.theirs,
      ours: difference.ours,
      asked: difference.asked ?? [],
    });
  });
});

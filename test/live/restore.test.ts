import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { discover } from '../../src/cluster/list/discover.ts';
import { readBody } from '../../src/cluster/read-body.ts';
import { inClusterTerms } from '../../src/commands/restore/plan-live.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { GcError } from '../../src/errors.ts';
import type { ResourceTypes } from '../../src/kube/resource-types.ts';
import { readBackup } from '../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../src/restore/backup/write-backup.ts';
import { lookUpLive } from '../../src/restore/perform/look-up.ts';
import { restore } from '../../src/restore/perform/restore.ts';
import { placesToLook, planRestoration } from '../../src/restore/plan/plan-restoration.ts';
import type { PlannedRestoration } from '../../src/restore/plan/planned-restoration.ts';
import { OwnerLookup } from '../../src/restore/relink/owner-lookup.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  fellTree,
  type Picture,
  pictureOf,
  plantTree,
  randomFrom,
  type Tree,
} from './restore-trees.ts';

/** Deletes and restores random trees while every controller runs, cut off at random points. */
const cluster = sharedControlPlane();
const namespace = 'restore-trees';
const folder = temporaryFolder();
let client: ClusterClient;
let types: ResourceTypes;

beforeAll(async () => {
  await cluster.make(`Namespace ${namespace}`);
  client = await connect({ kubeconfig: cluster.kubeconfigPath });
  types = (await discover(client)).types;
});
afterAll(async () => {
  client.close();
  await cluster.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
});

function planOf(tree: Tree): Plan {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster: { server: client.server, uid: '' },
    createdAt: '2026-01-31T12:00:00Z',
    requests: [],
    objects: tree.objects.map(({ planned }) => planned),
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 0, objects: 0, problems: [] },
  };
}

async function planned(directory: string): Promise<PlannedRestoration[]> {
  const { saved, problems } = await readBackup(directory, { acceptEdited: false });
  expect(problems).toEqual([]);
  const objects = inClusterTerms(saved, types, namespace);
  const lookup = new OwnerLookup(types, objects);
  const live = await lookUpLive(client, placesToLook(objects, lookup), lookup);
  return planRestoration(objects, live, types, { deleted: true, sameCluster: true });
}

/** The connection breaks at one request: before it is sent, or after, so that nobody hears the answer. */
function breakingClient(requests: number, afterwards: boolean): ClusterClient {
  let left = requests;
  return {
    ...client,
    request: async (request) => {
      if (left-- > 0) return client.request(request);
      if (left === -1 && afterwards) await readBody(await client.request(request));
      throw new GcError('the network is gone', { code: 'unreachable' });
    },
  };
}

const seeds = Array.from({ length: 50 }, (_, seed) => seed + 1);

describe('50 random trees', () => {
  const trees = new Map<number, { tree: Tree; directory: string; before: Picture }>();
  const all = () => [...trees.values()].map(({ tree }) => tree);

  test.each(seeds)('tree %i is deleted, and restored in spite of interruptions', async (seed) => {
    const random = randomFrom(seed);
    const tree = await plantTree(cluster, namespace, `t${seed}`, random);
    const before = await pictureOf(cluster, [tree]);
    expect(before.unsound).toEqual([]);
    const directory = join(folder, `${seed}`);
    expect(await writeBackup(planOf(tree), client, types, { directory })).toEqual({
      directory,
      objects: tree.objects.length,
      problems: [],
      unread: [],
    });
    await fellTree(cluster, tree);

    for (let cuts = random(3); cuts > 0; cuts--) {
      const broken = breakingClient(random(tree.objects.length + 2), random(2) === 0);
      await restore(await planned(directory), broken, types, { dryRun: false });
    }
    const results = await restore(await planned(directory), client, types, { dryRun: false });
    expect([...results.values()].filter(({ outcome }) => outcome === 'refused')).toEqual([]);
    const after = await pictureOf(cluster, [tree]);
    expect(after.objects).toEqual(before.objects);
    expect(after.unsound).toEqual([]);
    trees.set(seed, { tree, directory, before });
  });

  test('a second restoration changes nothing, and nothing is collected in the following minute', async () => {
    const before = await pictureOf(cluster, all());
    for (const { directory } of trees.values()) {
      const actions = (await planned(directory)).map(
        ({ action, because }) => `${action} ${because}`,
      );
      expect([...new Set(actions)]).toEqual(['exists it already exists, with the same content']);
      expect((await restore(await planned(directory), client, types, { dryRun: false })).size).toBe(
        0,
      );
    }
    await delay(60_000);
    expect(trees.size).toBe(seeds.length);
    expect(await pictureOf(cluster, all())).toEqual(before);
  });
});

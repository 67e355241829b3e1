import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ProgressEvent } from '../../src/perform/progress-event.ts';
import type { ServerProcess } from '../support/control-plane-processes.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { compactEtcd } from './compact-etcd.ts';

import {
  deleted,
  endOf,
  identity,
  observations,
  only,
  performOn,
  planFor,
} from './perform-plan.ts';
import { isWatch, startProxy, type TestProxy } from './proxy.ts';
import { restartServer } from './restart-server.ts';

/** Without a watch cache every watch reads etcd's history, which can be compacted. */
const plane = await ownControlPlane({
  controllers: ['garbage-collector-controller'],
  apiServerArgs: ['--watch-cache=false'],
});
let proxy: TestProxy;
let client: ClusterClient;
let restarted: ServerProcess | undefined;
const configMaps = '/api/v1/namespaces/disturbed/configmaps';

beforeAll(async () => {
  await plane.make('Namespace disturbed');
  proxy = await startProxy(plane);
  client = await connect({ server: proxy.address });
});
afterAll(async () => {
  client.close();
  await proxy.close();
  await restarted?.stop();
});
beforeEach(async () => {
  // Names are used again, so what the test before released must be gone.
  await eventually('what was released is gone', async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(configMaps);
    return !items.some(({ metadata }) => metadata.deletionTimestamp);
  });
  proxy.before = () => undefined;
  proxy.forget();
});

async function configMap(name: string, owner?: KubeObject, metadata: object = {}) {
  const ownerReferences = owner ? [{ ...identity(owner), blockOwnerDeletion: true }] : [];
  const references = ownerReferences.map(({ namespace: _, ...reference }) => reference);
  const made = { metadata: { name, ownerReferences: references, ...metadata } };
  return plane.create<KubeObject>(configMaps, made);
}

const hold = { finalizers: ['example.com/hold'] };
const release = (name: string) =>
  plane.patch(`${configMaps}/${name}`, { metadata: { finalizers: null } });

const complete = {
  type: 'done',
  ended: 'gone',
  sent: 1,
  refused: 0,
  skipped: 0,
  left: 0,
  differences: 0,
};

/** What a test does once an object is seen to be terminating. */
function whenTerminating(name: string, work: () => Promise<void> | void) {
  let isDone = false;
  return async (event: ProgressEvent) => {
    if (isDone || event.type !== 'observed' || event.object.name !== name) return;
    isDone = true;
    await work();
  };
}

/** A tree whose dependent is held until it is released. */
async function heldTree() {
  const root = await configMap('root');
  const held = await configMap('held', root, hold);
  return planFor([root], deleted(root, held), { propagationPolicy: 'Foreground' });
}

test('a hung etcd ends a command at its limits of time', async () => {
  await configMap('hung');
  const [etcd = 0] = plane.pids();
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const began = performance.now();
  process.kill(etcd, 'SIGSTOP');
  try {
    const [deletion, question] = await Promise.all([
      gc('delete cm/hung -n disturbed --yes --no-backup --timeout 5s --request-timeout 5s', {
        env,
      }),
      gc('owners cm/hung -n disturbed --request-timeout 5s', { env }),
    ]);
    expect((performance.now() - began) / 1000).toBeLessThan(90);
    expect([3, 4]).toContain(deletion.code);
    expect(question.code).toBe(3);
    for (const { stderr } of [deletion, question]) expect(stderr).not.toMatch(/bug/);
  } finally {
    process.kill(etcd, 'SIGCONT');
  }
});

test('what went while history was compacted is found by listing again', async () => {
  const plan = await heldTree();
  let isCut = false;
  const answers: number[] = [];
  proxy.before = async (request) => {
    if (!isWatch(request) || !isCut) return undefined;
    isCut = false;
    await release('held');
    await eventually('all is gone', async () => !(await plane.isHealthy(`${configMaps}/root`)));
    await plane.make(`ConfigMap disturbed/later-${Date.now()}`);
    await compactEtcd(plane.etcd);
    return undefined;
  };
  const noting: ClusterClient = {
    ...client,
    request: async (request) => {
      const response = await client.request(request);
      if (request.path.includes('watch=true')) answers.push(response.status);
      return response;
    },
  };
  const events = await performOn(plane, plan, {
    client: noting,
    onEvent: whenTerminating('held', () => {
      isCut = true;
      proxy.cutWatches();
    }),
  });
  expect(endOf(events)).toEqual({ ...complete, gone: 2 });
  const lists = proxy.requests.filter((request) => request.method === 'GET' && !isWatch(request));
  expect([lists.length, answers.length]).toEqual([2, 2]);
});

test('a run goes on when the API server is killed and started again', async () => {
  const late = await configMap('late', undefined, hold);
  const tree = await heldTree();
  const plan = {
    ...tree,
    requests: [...tree.requests, ...planFor([late], []).requests],
    objects: [...tree.objects, ...planFor([], deleted(late)).objects],
  };
  let isDown = false;
  proxy.before = async ({ method, path }) => {
    if (method === 'DELETE' && path.includes('/late') && !isDown) {
      isDown = true;
      void restartServer(plane, plane.pids()[1] ?? 0).then(async (again) => {
        restarted = again;
        await release('held');
        await eventually('the last request', async () => {
          const { metadata } = await plane.get<KubeObject>(`${configMaps}/late`);
          return metadata.deletionTimestamp ? true : undefined;
        });
        await release('late');
      });
      return 'drop';
    }
    return undefined;
  };
  const events = await performOn(plane, plan, { client, timeoutMs: 100_000 });
  expect(only(events, 'retrying').length).toBeGreaterThan(0);
  expect(only(events, 'watch').map(({ state }) => state)).toEqual(['lost', 'resumed']);
  expect(observations(events)).toEqual({ root: 'gone', held: 'gone', late: 'gone' });
  expect(endOf(events)).toEqual({ ...complete, sent: 2, gone: 3 });
});

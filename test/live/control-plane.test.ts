import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInTypes, builtInVersion } from '../../src/kube/built-in-types.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import { apiPath } from '../support/api-path.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { customTypes } from '../support/etcd-storage.ts';
import { eventually } from '../support/eventually.ts';
import { makeDeadApi } from '../support/served-kinds.ts';
import { aggregatedDiscovery, servedTypes } from '../support/served-types.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const shared = sharedControlPlane();

const collector = 'garbage-collector-controller';
const configMaps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, metadata: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...metadata },
  };
}

const ownedByNobody = {
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'gone',
      uid: '6513270e-269e-4d37-b2a7-4de452e6b438',
    },
  ],
};

test('the shared control plane is of the version whose kinds are built in', () => {
  expect(shared.serverVersion).toBe(builtInVersion);
});

test('the built-in kinds are still what a default API server serves, in its order', async () => {
  const types = await servedTypes(shared.get);
  expect(types.filter((type) => type.group !== 'example.com')).toEqual(builtInTypes);
});

test('an object put into the store keeps its uid and its times', async () => {
  const metadata = {
    name: 'long-terminating',
    namespace: 'default',
    uid: '0b0c0d0e-1111-4222-8333-444455556666',
    creationTimestamp: '2020-01-01T00:00:00Z',
    deletionTimestamp: '2020-01-02T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    finalizers: ['example.com/hold'],
  };
  const path = `${configMaps}/long-terminating`;
  await shared.putObjects([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
  const stored = await shared.get<KubeObject>(path);
  expect(stored.metadata).toEqual({ ...metadata, resourceVersion: expect.any(String) });
  await shared.patch(path, { metadata: { finalizers: null } });
  expect((await shared.request(path)).status).toBe(404);
});

test('a user has the groups of its client certificate and no rights', async () => {
  const kubeconfig = shared.kubeconfigFor({ user: 'alice', groups: ['dev'] });
  const whoami = await shared.kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
  const { userInfo } = JSON.parse(whoami.stdout).status;
  expect([userInfo.username, userInfo.groups]).toEqual(['alice', ['dev', 'system:authenticated']]);
  expect(await shared.kubectl(['get', 'pods', '-n', 'default'], { kubeconfig })).toEqual({
    stdout: '',
    stderr:
      'Error from server (Forbidden): pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"\n',
    code: 1,
  });
});

/** An API server cannot run with these kinds when their spec is empty. */
const specs: Record<string, unknown> = {
  PriorityLevelConfiguration: { type: 'Exempt', exempt: {} },
  FlowSchema: { priorityLevelConfiguration: { name: 'put' } },
};

describe('a private control plane', () => {
  const types = [...builtInTypes, ...exampleDefinitions.flatMap(customTypes)].filter(
    ({ group, verbs }) => group === 'example.com' || verbs.includes('watch'),
  );
  let plane: ControlPlane;
  beforeAll(async () => {
    const objects = types.map((type) => ({
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name: 'put', ...(type.namespaced ? { namespace: 'default' } : {}) },
      spec: specs[type.kind],
    }));
    plane = await startControlPlane({
      controllers: 'none',
      objects: [...objects, configMap('dangling', ownedByNobody)],
      definitions: exampleDefinitions,
    });
  });
  afterAll(() => plane.stop());

  test('finds objects of every kind that were put before its start', async () => {
    const missing: string[] = [];
    for (const type of types) {
      const path = apiPath(type, 'default', 'put');
      if (!(await plane.isHealthy(path))) missing.push(path);
    }
    expect(missing).toEqual([]);
  });

  test('fails to discover just the group version whose APIService has no server', async () => {
    await makeDeadApi(plane, 'metrics.k8s.io', 'v1beta1');
    const stale = await eventually('discovery', async () => {
      const { items } = await plane.get<Discovery>('/apis', aggregatedDiscovery);
      return items.find(({ metadata }) => metadata.name === 'metrics.k8s.io');
    });
    expect(stale.versions).toEqual([{ version: 'v1beta1', freshness: 'Stale' }]);
    expect((await plane.request('/apis/metrics.k8s.io/v1beta1')).status).toBe(503);
  });

  test('collects what dangles while its controllers run, and only then', async () => {
    const dangling = `${configMaps}/dangling`;
    expect(await plane.isHealthy(dangling)).toBe(true);
    await plane.startControllers([collector]);
    await eventually('collected', async () => !(await plane.isHealthy(dangling)));
    expect(await plane.isHealthy(`${configMaps}/put`)).toBe(true);
    expect(plane.pids()).toHaveLength(3);
    await plane.stopControllers();
    await plane.putObjects([configMap('dangling', ownedByNobody)]);
    expect(await plane.isHealthy(dangling)).toBe(true);
  });

  test('leaves nothing behind when it stops', async () => {
    await plane.stop();
    expect(plane.pids()).toEqual([]);
    expect(existsSync(plane.directory)).toBe(false);
  });
});

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly versions: unknown[];
  }[];
}

test('a control plane ends with the process that started it, even when that is killed', async () => {
  const script = fileURLToPath(new URL('../support/abandon-control-plane.ts', import.meta.url));
  const starter = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(starter.stdout.setEncoding('utf8'), 'data');
  const { pids, directory } = JSON.parse(line) as { pids: number[]; directory: string };
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  starter.kill('SIGKILL');
  await eventually('the end of all servers', async () =>
    pids.some(isRunning) || existsSync(directory) ? undefined : true,
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

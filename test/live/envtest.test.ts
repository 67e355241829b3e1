import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { fromCluster, orphans, runControllers } from '../../src/index.ts';
import { root } from '../support/command-line.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { bin, gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const longEnough = 240_000;

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string };
}

const referenceTo = (kind: string, apiVersion: string, { metadata: { name, uid } }: Stored) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }],
});

function eventsOf(stdout: string): { event: string; [field: string]: unknown }[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const shared = sharedControlPlane();
const plane = await ownControlPlane({ controllers: 'none' });

const runOn = (kubeconfig: string, ...args: string[]) =>
  gc(['run-controllers', '--kubeconfig', kubeconfig, ...args]);
const ask = (...args: string[]) => runOn(plane.kubeconfigPath, ...args);

describe('a server is refused', () => {
  test('that is not on this machine, before it is asked for anything', async () => {
    const { code, stdout, stderr } = await ask('--server', 'https://192.0.2.1:6443');
    expect({ code, events: eventsOf(stdout), stderr }).toEqual({
      code: 3,
      events: [
        {
          event: 'error',
          code: 'remote-server',
          message:
            'https://192.0.2.1:6443 is not on this machine: controllers would delete objects there',
        },
      ],
      stderr: `error: https://192.0.2.1:6443 is not on this machine: controllers would delete objects there
  If it is a test cluster, add --allow-remote-server.
`,
    });
  });

  test('that has a controller manager', { timeout: longEnough }, async () => {
    const { code, stdout } = await runOn(shared.kubeconfigPath);
    const [event] = eventsOf(stdout);
    expect({ code, event }).toMatchObject({ code: 3, event: { event: 'error' } });
    expect(event?.code).toMatch(/^controller-manager-(runs|ran)$/);
  });

  test('on which one renews its Lease, unless that is allowed', {
    timeout: longEnough,
  }, async () => {
    await plane.make('Lease kube-system/kube-controller-manager', {
      spec: {
        holderIdentity: 'node-1_abc',
        leaseDurationSeconds: 15,
        renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
      },
    });
    try {
      const { code, stdout } = await ask();
      expect({ code, events: eventsOf(stdout) }).toEqual({
        code: 3,
        events: [
          {
            event: 'error',
            code: 'controller-manager-runs',
            message: `a controller manager runs on ${plane.server}: node-1_abc renews the Lease kube-controller-manager`,
          },
        ],
      });
      const allowed = await ask('--beside-controller-manager', '--until-settled');
      expect([allowed.code, eventsOf(allowed.stdout).map(({ event }) => event)]).toEqual([
        0,
        ['ready', 'settled'],
      ]);
    } finally {
      await plane.request(`${leases}/kube-controller-manager`, { method: 'DELETE' });
    }
  });
});

test('run-controllers says each write and ends when all is done', {
  timeout: longEnough,
}, async () => {
  const owner = await plane.make<Stored>('ConfigMap default/owner');
  const metadata = referenceTo('ConfigMap', 'v1', owner);
  await plane.make('ConfigMap default/dependent', { metadata });
  await plane.request(`${configMaps}/owner`, { method: 'DELETE' });
  const { code, stdout, stderr } = await ask(
    '--until-settled',
    '--writes',
    '--controllers=garbagecollector',
  );
  const [ready, write, settled, ...more] = eventsOf(stdout);
  expect({ code, stderr, ready, write, settled, more }).toEqual({
    code: 0,
    stderr: '',
    ready: {
      event: 'ready',
      server: plane.server,
      controllers: ['garbage-collector-controller'],
    },
    write: {
      event: 'write',
      at: expect.stringMatching(/^2/),
      actor: 'garbage-collector-controller',
      verb: 'delete',
      object: expect.objectContaining({ kind: 'ConfigMap', name: 'dependent' }),
      policy: 'Background',
      result: 'removed',
      // It is looked up by the name in the reference, or was found gone by its uid before.
      because: expect.stringMatching(/\bno ConfigMap owner\b/),
      rule: 'GC-22.13',
    },
    settled: { event: 'settled', deleting: [] },
    more: [],
  });
});

test('the end of stdin ends it, and an unknown request does not', {
  timeout: longEnough,
}, async () => {
  const line = ['run-controllers', '--kubeconfig', plane.kubeconfigPath];
  const { code, stdout } = await gc(line, { input: 'setle\nsettle\n' });
  expect([code, eventsOf(stdout).map(({ event, code: why }) => why ?? event)]).toEqual([
    0,
    ['ready', 'unknown-request', 'settled'],
  ]);
});

test('a program runs them in its own process', { timeout: longEnough }, async () => {
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfigPath);
  const running = await runControllers({ kubeconfig: config });
  try {
    // A kind that comes while they run is known to the next `settled`.
    const [widget] = exampleDefinitions;
    await plane.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widget);
    await expect
      .poll(() => plane.isHealthy(widgets), { timeout: longEnough, interval: 200 })
      .toBe(true);
    const parent = await plane.make<Stored>('Widget default/parent');
    await plane.make('Widget default/child', {
      metadata: { ...referenceTo('Widget', 'example.com/v1', parent) },
    });
    await plane.make('Namespace passing');
    const inPassing = '/api/v1/namespaces/passing/configmaps';
    await plane.make('ConfigMap passing/a');
    await plane.make('ConfigMap passing/b', { metadata: { finalizers: ['example.com/hold'] } });
    expect(await running.settled()).toEqual({ deleting: [] });

    const body = { propagationPolicy: 'Orphan' };
    await plane.request(`${widgets}/parent`, { method: 'DELETE', body });
    await plane.request('/api/v1/namespaces/passing', { method: 'DELETE' });
    const { deleting } = await running.settled();
    expect(deleting.map(({ kind, name, finalizers }) => [kind, name, finalizers])).toEqual([
      ['ConfigMap', 'b', ['example.com/hold']],
      ['Namespace', 'passing', []],
    ]);
    const { items } = await plane.get<{ items: Stored[] }>(widgets);
    expect(items.map(({ metadata }) => metadata)).toEqual([
      expect.not.objectContaining({ ownerReferences: expect.anything() }),
    ]);

    await plane.patch(`${inPassing}/b`, { metadata: { finalizers: null } });
    expect(await running.settled()).toEqual({ deleting: [] });
    expect(await plane.isHealthy('/api/v1/namespaces/passing')).toBe(false);
    const snapshot = await fromCluster({ kubeconfig: config });
    expect(orphans(snapshot).items).toEqual([]);
  } finally {
    running.stop();
  }
  await expect(running.settled()).rejects.toThrow('the controllers were stopped');
});

test('the Go example passes its own test', { timeout: longEnough }, async () => {
  const authority = join(plane.directory, 'authority.pem');
  writeFileSync(authority, plane.authority.certificate);
  const options = {
    cwd: join(root, 'examples/envtest-go'),
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      TEST_SERVER: plane.server,
      TEST_TOKEN: plane.adminToken,
      TEST_CA: authority,
      TEST_KUBECONFIG: plane.kubeconfigPath,
      KUBECTL_GC: bin,
    },
  };
  await promisify(execFile)('go', ['vet', './...'], options);
  const { stdout } = await promisify(execFile)('go', ['test', '-count=1', '-v', './...'], options);
  expect(stdout).toContain('--- PASS: TestDeletionsCascade');
});

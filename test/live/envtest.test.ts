import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { fromCluster, orphans, runControllers } from '../../src/index.ts';
import { root } from '../support/command-line.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { bin, gc } from '../support/run-gc.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
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

const plane = await ownControlPlane({ controllers: 'none' });

const ask = (...args: string[]) =>
  gc(['run-controllers', '--kubeconfig', plane.kubeconfigPath, ...args]);

test('a server is refused on which one renews its Lease, unless that is allowed', {
  timeout: longEnough,
}, async () => {
  const lease = 'Lease kube-system/kube-controller-manager';
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
  await plane.make(lease, {
    spec: { holderIdentity: 'node-1_abc', leaseDurationSeconds: 15, renewTime },
  });
  const { code, stdout } = await ask();
  const message = `a controller manager runs on ${plane.server}: node-1_abc renews the Lease kube-controller-manager`;
  expect([code, eventsOf(stdout)]).toEqual([
    3,
    [{ event: 'error', code: 'controller-manager-runs', message }],
  ]);
  const allowed = await ask('--beside-controller-manager', '--until-settled');
  await plane.remove(lease);
  expect([allowed.code, eventsOf(allowed.stdout).map(({ event }) => event)]).toEqual([
    0,
    ['ready', 'settled'],
  ]);
});

test('run-controllers says each write and ends when all is done', {
  timeout: longEnough,
}, async () => {
  const owner = await plane.make<Stored>('ConfigMap default/owner');
  const metadata = referenceTo('ConfigMap', 'v1', owner);
  await plane.make('ConfigMap default/dependent', { metadata });
  await plane.remove(`${configMaps}/owner`);
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

test('no line of run-controllers acts on a terminal, and the name in it is the whole name', {
  timeout: longEnough,
}, async () => {
  const name = 'a\u009b31m\u202eb\u001b[2J';
  const owner = await plane.make<Stored>('ConfigMap default/of-role');
  const metadata = { name, ...referenceTo('ConfigMap', 'v1', owner) };
  await plane.make('Role default/', { metadata, rules: [] });
  await plane.remove(`${configMaps}/of-role`);
  const { code, stdout } = await ask(
    '--until-settled',
    '--writes',
    '--controllers=garbagecollector',
  );
  expect([code, /[^\n\P{Cc}]|\p{Bidi_Control}/u.exec(stdout)]).toEqual([0, null]);
  const writes = eventsOf(stdout).filter(({ event }) => event === 'write');
  expect(writes.map(({ verb, object }) => [verb, (object as Stored['metadata']).name])).toEqual([
    ['delete', name],
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
    await plane.remove(`${widgets}/parent`, body);
    await plane.remove('/api/v1/namespaces/passing');
    const { deleting } = await running.settled();
    expect(deleting.map(({ kind, name, finalizers }) => [kind, name, finalizers])).toEqual([
      ['ConfigMap', 'b', ['example.com/hold']],
      ['Namespace', 'passing', []],
    ]);
    const items = await plane.list<Stored>(widgets);
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

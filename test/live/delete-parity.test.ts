import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Run } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { pathOf } from '../support/object-address.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type DeleteCase, deleteCases, manifests } from './delete-cases.ts';

/** Every command line goes to the real kubectl and to ours, on namespaces that are equal. */
const plane = sharedControlPlane();
const folder = temporaryFolder();
const namespaces: string[] = [];

/** Serves `manifests`; `URL` in a line stands for its address. */
const web = createServer(({ url = '' }, response) => {
  const text = manifests[url.slice(1)];
  response.writeHead(text === undefined ? 404 : 200).end(text);
});
let address = '';
beforeAll(async () => {
  await once(web.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});

afterAll(async () => {
  web.close();
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  for (const namespace of namespaces) {
    const held = pathOf(`ConfigMap ${namespace}/held`);
    await plane.merge(held, { metadata: { finalizers: null } });
    await plane.remove(`${roles}/${namespace}-role`);
    await plane.remove(`/api/v1/namespaces/${namespace}`);
  }
});

type Side = 'kubectl' | 'gc';

/** What came of it, and what asks what is left. */
async function outcomeOf(side: Side, deletion: DeleteCase) {
  const namespace = `parity-${process.pid}-${side}-${namespaces.length}`;
  namespaces.push(namespace);
  const here = (text: string) => text.replaceAll('NS', namespace);
  await plane.make(`Namespace ${namespace}`);
  for (const { kind, metadata, ...content } of deletion.objects) {
    const place = kind === 'ClusterRole' ? here(metadata.name) : `${namespace}/${metadata.name}`;
    const told = JSON.parse(here(JSON.stringify({ ...content, metadata })));
    const { name: _, ...rest } = told.metadata;
    // Pods need the service account of the namespace.
    await eventually(`${kind} ${place}`, () =>
      plane.make(`${kind} ${place}`, { ...told, metadata: rest }).catch(() => undefined),
    );
    if (kind === 'Deployment')
      await eventually('its pod', async () => (await plane.names(`Pod ${namespace}/`)).length > 0);
  }
  const directory = writeManifests(join(folder, namespace), here);
  const context = deletion.withoutNamespace ? [] : ['-n', namespace];
  const asks = deletion.as === undefined ? [] : ['--as', deletion.as];
  const words = here(deletion.line)
    .replaceAll('DIR', directory)
    .replaceAll('URL', address)
    .split(' ')
    .filter(Boolean);
  const isExplicit = words.includes('-n') || words.includes('-A');
  const env = isExplicit ? {} : { KUBECONFIG: kubeconfigIn(context[1] ?? 'default') };
  const run = await runOn(side, ['delete', ...words, ...asks], deletion.input, env);
  const plain = (text: string) =>
    text
      .replaceAll(directory, 'DIR')
      .replaceAll(address, 'URL')
      .replaceAll(namespace, 'NS')
      .replaceAll(/\bweb-[a-z0-9]{6,10}(-[a-z0-9]{5})?/g, 'web-…');
  const outcome = {
    stdout: plain(run.stdout),
    failed: run.code !== 0,
    error: run.code === 0 ? '' : plain(errorOf(run.stderr)),
  };
  return { outcome, left: async () => plain(await leftIn(namespace)) };
}

async function leftIn(namespace: string): Promise<string> {
  const kinds = ['ConfigMap', 'Service', 'Deployment', 'ReplicaSet', 'Pod'];
  const left = kinds.map((kind) => plane.names(`${kind} ${namespace}/`));
  return (await Promise.all(left)).join('\n');
}

function writeManifests(directory: string, here: (text: string) => string): string {
  for (const [name, text] of Object.entries(manifests)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, here(text));
  }
  return directory;
}

/** The context's namespace is not `--namespace`: only the latter is insisted on. */
function kubeconfigIn(namespace: string): string {
  return plane.kubeconfigFor({ token: plane.adminToken, namespace });
}

async function runOn(
  side: Side,
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  if (side === 'kubectl') return plane.kubectl(args, { input, env });
  return gc(args, {
    input,
    env: {
      KUBECONFIG: plane.kubeconfigPath,
      KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
      PATH: `${plane.binaries}:${process.env.PATH}`,
      ...env,
    },
  });
}

const remark = /^(Warning|warning|Note|Backup|To bring back|W\d{4} )/;

function errorOf(stderr: string): string {
  return stderr.split('\n').find((line) => line !== '' && !remark.test(line)) ?? '';
}

test.each(deleteCases)('beside the real kubectl: $line', async (deletion) => {
  const [theirs, ours] = await Promise.all([
    outcomeOf('kubectl', deletion),
    outcomeOf('gc', deletion),
  ]);
  const isAlike = !deletion.otherWords;
  const told = ({ outcome }: typeof ours) => (isAlike ? outcome : { ...outcome, error: '' });
  expect(told(ours)).toEqual(told(theirs));
  // What goes along goes a moment later.
  await vi.waitFor(async () => expect(await ours.left()).toBe(await theirs.left()), 10_000);
});

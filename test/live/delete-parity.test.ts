import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '../support/command-line.ts';
import { pathOf } from '../support/object-address.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  argumentCases,
  type DeleteCase,
  fileCases,
  manifests,
  optionCases,
  refusedCases,
  usualObjects,
} from './delete-cases.ts';

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

interface Outcome {
  readonly stdout: string;
  readonly failed: boolean;
  /** The first line that is no remark. */
  readonly error: string;
  /** What is left in the namespace. */
  readonly left: string;
}

type Side = 'kubectl' | 'gc';

async function outcomeOf(side: Side, deletion: DeleteCase): Promise<Outcome> {
  const namespace = `parity-${process.pid}-${side}-${namespaces.length}`;
  namespaces.push(namespace);
  const here = (text: string) => text.replaceAll('NS', namespace);
  await plane.make(`Namespace ${namespace}`);
  const items = deletion.objects ?? usualObjects;
  const list = here(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const made = await plane.kubectl(['create', '-n', namespace, '-f', '-'], { input: list });
  expect(made.stderr).toBe('');
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
  const left = await plane.kubectl(['get', 'cm,svc,deploy,rs,pods', '-n', namespace, '-o', 'name']);
  const plain = (text: string) =>
    text
      .replaceAll(directory, 'DIR')
      .replaceAll(address, 'URL')
      .replaceAll(namespace, 'NS')
      .replaceAll(/\bweb-[a-z0-9]{6,10}(-[a-z0-9]{5})?/g, 'web-…');
  return {
    stdout: plain(run.stdout),
    failed: run.code !== 0,
    error: run.code === 0 ? '' : plain(errorOf(run.stderr)),
    left: plain(left.stdout),
  };
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

describe.each([
  ['arguments', argumentCases],
  ['options', optionCases],
  ['files', fileCases],
  ['refused', refusedCases],
])('beside the real kubectl: %s', (_, cases) => {
  test.each(Object.entries(cases))('%s', async (_name, deletion) => {
    const theirs = await outcomeOf('kubectl', deletion);
    const ours = await outcomeOf('gc', deletion);
    const { otherWords } = deletion;
    expect(otherWords ? { ...ours, error: otherWords } : ours).toEqual(
      otherWords ? { ...theirs, error: otherWords } : theirs,
    );
  });
});

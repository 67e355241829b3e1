import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Run } from '../support/command-line.ts';
import { casesOf } from '../support/rows.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { workload } from '../support/workload.ts';
import { proxyOfFile } from './proxy.ts';

/** Every command on a real API server, with its controllers running. */
const plane = sharedControlPlane();
const namespace = 'commands';
const env = { KUBECONFIG: plane.kubeconfigPath };
const proxy = await proxyOfFile(plane, { records: true });

/** Runs a live question that must succeed. */
async function ask(line: string): Promise<Run> {
  const run = await gc(line, { env });
  expect([line, run.code], run.stderr).toEqual([line, 0]);
  return run;
}

function ownedBy({ apiVersion, kind, metadata }: KubeObject, more: object = {}): object {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const deployment = await plane.make(
    `Deployment ${namespace}/web`,
    workload('web', { replicas: 0 }),
  );
  await plane.make(`Secret ${namespace}/web-session`, {
    metadata: {
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'last-applied-secret' },
      ownerReferences: [ownedBy(deployment)],
    },
    stringData: { password: 'battery-staple' },
  });
  const gadget = await plane.make('Gadget fleet');
  const owned = (name: string, ...ownerReferences: object[]) =>
    plane.make(name.replace('/', ` ${namespace}/`), { metadata: { ownerReferences } });
  const widget = await owned('Widget/ship', ownedBy(gadget, { blockOwnerDeletion: true }));
  await owned('ConfigMap/cargo', ownedBy(widget), ownedBy(gadget));
  const none = { apiVersion: 'gone.example.com/v1', kind: 'Gone', name: 'x', uid: 'u' };
  await owned('ConfigMap/frozen', none);
});

test('owners through a custom resource to a cluster-scoped root: GETs and discovery, no list', async () => {
  proxy.forget();
  const { stdout } = await ask(`owners cm/cargo -n ${namespace} -o tree -s ${proxy.address}`);
  expect(stdout).toBe(`ConfigMap/cargo -n ${namespace}
├─ Widget/ship
│  └─ Gadget/fleet  blocks
└─ Gadget/fleet  shown above
`);
  expect(new Set(proxy.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  const discovery = ['/api', '/apis', '/version'];
  const objects = proxy.requests.filter(({ path: asked }) => !discovery.includes(asked));
  const allowed = ['configmaps/cargo', 'widgets/ship', 'gadgets/fleet'];
  const others = objects.filter(({ path }) => !allowed.some((end) => path.endsWith(end)));
  expect(others).toEqual([]);
});

test('tree of a cluster-scoped object looks into every namespace', async () => {
  expect((await ask('tree gadget/fleet -o tree')).stdout).toBe(`Gadget/fleet
├─ ConfigMap/cargo -n ${namespace}
└─ Widget/ship -n ${namespace}  blocks
   └─ ConfigMap/cargo  shown above
`);
});

test('the data of a Secret is neither asked for nor shown', async () => {
  const applied = ['apply', '-n', namespace, '-f', '-'];
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'applied' } };
  await plane.kubectl(applied, {
    input: JSON.stringify({ ...secret, stringData: { password: 'correct-horse' } }),
  });
  const lines = [
    `owners secret/applied secret/web-session -n ${namespace}`,
    `tree secrets -n ${namespace}`,
    `orphans -n ${namespace} --unmanaged`,
    `invalid-ownerrefs -n ${namespace}`,
  ].flatMap((line) => ['wide', 'json', 'yaml'].map((format) => `${line} -o ${format} -v`));
  const data = ['correct-horse', 'battery-staple', 'last-applied-secret'];
  const forms = [...data, ...data.map((text) => Buffer.from(text).toString('base64'))];
  const shown = (text: { includes(form: string): boolean }) =>
    forms.filter((form) => text.includes(form));
  proxy.forget();
  for (const line of [...lines, `snapshot save - -n ${namespace}`]) {
    const { stdout, stderr } = await ask(`${line} -s ${proxy.address}`);
    expect(shown(stdout + stderr)).toEqual([]);
  }
  // What was applied is in an annotation as well, and that is metadata; data does not even travel.
  const travelled = new Set(proxy.bodies.flatMap(shown));
  expect(travelled).toEqual(new Set(['correct-horse', 'last-applied-secret']));
});

/** What cannot be answered on a cluster, told before anything is listed unless it takes a list. */
const refusals = casesOf(`
owners configmaps
  2
  resource(s) were provided, but no name was specified
  On a cluster, owners looks up single objects: name each as TYPE/NAME.
tree deploymnets/web
  2
  the server doesn't have a resource type "deploymnets"
  Did you mean deployments.apps?
orphans frobs -A
  2
  the server doesn't have a resource type "frobs"
  See: kubectl api-resources --server SERVER
owners cm/cargos
  3
  configmaps "cargos" not found in namespace commands
tree cm/cargos
  3
  configmaps "cargos" not found in namespace commands
  Did you mean cargo?
tree cm/kube-root-ca.crt -A
  2
  configmaps "kube-root-ca.crt" is in several namespaces
`);

test.each(refusals)('%s ends with %s: %s', async (line, code, ...told) => {
  proxy.forget();
  const run = await gc(`${line} -n ${namespace} -s ${proxy.address}`, { env });
  const said = run.stderr
    .replaceAll(proxy.address, 'SERVER')
    .replace(/ is in \d+ namespaces: .*\n {2}.*/, ' is in several namespaces');
  const { stdout } = run;
  expect([run.code, stdout, said]).toEqual([Number(code), '', `error: ${told.join('\n  ')}\n`]);
  const lists = proxy.requests.filter(({ path: asked }) => /\/configmaps(\?|$)/.test(asked));
  expect(lists.length > 0).toBe(line?.startsWith('tree cm'));
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayGo } from '../../src/deletion/plan/going.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type Delivered,
  everything,
  kindOf,
  pathOf,
  startKustomizeController,
  startTools,
} from './delivery-tools.ts';

/**
 * What is gone after the object of a delivery tool was deleted is what its preview named. The tools are
 * played by the test as their code does it; with KUSTOMIZE_CONTROLLER, the path of its binary, and
 * KUSTOMIZE_CRDS, the folders of its definitions and those of source-controller, the real kustomize-controller does its part.
 */
const { KUSTOMIZE_CONTROLLER: binary, KUSTOMIZE_CRDS: folders } = process.env;

let plane: ControlPlane;
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  const kustomizations = folders
    ? folders.split(':').flatMap(definitionsIn)
    : [customDefinition('Kustomization', 'kustomize.toolkit.fluxcd.io')];
  plane = await startControlPlane({
    controllers: ['*', '-node-lifecycle-controller'],
    definitions: [
      ...exampleDefinitions,
      ...kustomizations,
      customDefinition('Application', 'argoproj.io', { versions: ['v1alpha1'] }),
    ],
  });
  const played = ['Application', 'Widget', ...(binary ? [] : ['Kustomization'])];
  running.push(startTools(plane, played));
  if (binary) running.push(startKustomizeController(binary, plane.kubeconfigPath));
});
function definitionsIn(folder: string): KubeObject[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => yamlValue(readFileSync(join(folder, name), 'utf8')) as KubeObject);
}
afterAll(async () => {
  for (const tool of running) await tool.stop();
  await plane?.stop();
});

/** `ConfigMap a`, or with an owner among these `ConfigMap a < b`; Namespace and ClusterRole are the case's own. */
interface Case {
  readonly title: string;
  readonly tool?: 'Kustomization' | 'Application' | 'Widget';
  readonly spec?: object;
  readonly finalizers?: readonly string[];
  readonly objects: readonly string[];
  /** Beside the labels or the annotation of the tool. */
  readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Not marked as the tool's own. */
  readonly unmarked?: readonly string[];
  /** In the inventory; all without an owner by default. */
  readonly entries?: readonly string[];
  readonly cascade?: 'background' | 'foreground' | 'orphan';
  /** What goes, beside the object of the tool. */
  readonly goes: readonly string[];
}

const cm = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c < b', 'ConfigMap d < c'];
const all = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c', 'ConfigMap d'];
const home = ['Namespace app', 'ConfigMap a', 'Secret s', 'Service w'];
const key = 'kustomize.toolkit.fluxcd.io/';
const app = { tool: 'Application' } as const;
const argo = 'resources-finalizer.argocd.argoproj.io';
const kro = { tool: 'Widget' } as const;
const claim = { ...kro, finalizers: ['finalizer.apiextensions.crossplane.io'] } as const;
const xr = ['Gadget x'];

const cases: readonly Case[] = [
  { title: 'Flux: all entries, and what they own', objects: cm, goes: all },
  { title: 'Flux: in the foreground', objects: cm, cascade: 'foreground', goes: all },
  {
    title: 'Flux: with orphan, which is about dependents',
    objects: cm,
    cascade: 'orphan',
    goes: all,
  },
  {
    title: 'Flux: a namespace with all that is in it',
    objects: home,
    entries: ['Namespace app'],
    goes: home,
  },
  {
    title: 'Flux: a namespace and more',
    objects: [...home, 'ClusterRole r'],
    goes: [...home, 'ClusterRole r'],
  },
  { title: 'Flux: prune false', spec: { prune: false }, objects: cm, goes: [] },
  {
    title: 'Flux: prune false, but Delete',
    spec: { prune: false, deletionPolicy: 'Delete' },
    objects: cm,
    goes: all,
  },
  { title: 'Flux: Orphan', spec: { deletionPolicy: 'Orphan' }, objects: cm, goes: [] },
  { title: 'Flux: MirrorPrune', spec: { deletionPolicy: 'MirrorPrune' }, objects: cm, goes: all },
  {
    title: 'Flux: WaitForTermination',
    spec: { deletionPolicy: 'WaitForTermination' },
    objects: cm,
    goes: all,
  },
  { title: 'Flux: suspended', spec: { suspend: true }, objects: cm, goes: [] },
  {
    title: 'Flux: suspended, with Delete',
    spec: { suspend: true, deletionPolicy: 'Delete' },
    objects: cm,
    goes: [],
  },
  {
    title: 'Flux: an entry without its labels',
    objects: cm,
    unmarked: ['b'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: a labelled object that is no entry',
    objects: cm,
    entries: ['ConfigMap a'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: prune disabled',
    objects: cm,
    metadata: { b: { [`${key}prune`]: 'disabled' } },
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: reconcile disabled',
    objects: cm,
    metadata: { a: { [`${key}reconcile`]: 'Disabled' } },
    goes: all.slice(1),
  },
  {
    title: 'Flux: ssa Ignore',
    objects: cm,
    metadata: { a: { [`${key}ssa`]: 'Ignore' } },
    goes: all.slice(1),
  },
  { title: 'Flux: no prune, and nothing applied', spec: { prune: false }, objects: [], goes: [] },
  {
    title: 'Flux: an entry that is gone',
    objects: ['ConfigMap a'],
    entries: ['ConfigMap a', 'Secret gone'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: a Secret and a Service',
    objects: ['Secret s', 'Service w'],
    goes: ['Secret s', 'Service w'],
  },
  { ...app, title: 'Argo CD: all resources, and what they own', objects: cm, goes: all },
  {
    ...app,
    title: 'Argo CD: the foreground finalizer',
    finalizers: [`${argo}/foreground`],
    objects: cm,
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: the background finalizer',
    finalizers: [`${argo}/background`],
    objects: cm,
    goes: all,
  },
  { ...app, title: 'Argo CD: no finalizer', finalizers: [], objects: cm, goes: [] },
  { ...app, title: 'Argo CD: with orphan', cascade: 'orphan', objects: cm, goes: all },
  {
    ...app,
    title: 'Argo CD: Delete=false',
    objects: cm,
    metadata: { b: { 'argocd.argoproj.io/sync-options': 'Delete=false' } },
    goes: ['ConfigMap a'],
  },
  {
    ...app,
    title: 'Argo CD: Prune=false alone',
    objects: cm,
    metadata: { b: { 'argocd.argoproj.io/sync-options': 'Prune=false' } },
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: the resource policy of Helm',
    objects: cm,
    metadata: { a: { 'helm.sh/resource-policy': 'keep' } },
    goes: all.slice(1),
  },
  {
    ...app,
    title: 'Argo CD: a resource that its status does not list',
    objects: cm,
    entries: ['ConfigMap a'],
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: a namespace with all that is in it',
    objects: home,
    entries: ['Namespace app'],
    goes: home,
  },
  {
    ...app,
    title: 'Argo CD: another cluster',
    spec: { destination: { server: 'https://prod:6443' } },
    objects: ['ConfigMap a'],
    unmarked: ['a'],
    goes: [],
  },
  {
    ...app,
    title: 'Argo CD: a cluster role',
    objects: ['ClusterRole r', 'Secret s'],
    goes: ['ClusterRole r', 'Secret s'],
  },
  { ...kro, title: 'kro: all of the ApplySet, and what it owns', objects: cm, goes: all },
  { ...kro, title: 'kro: in the foreground', cascade: 'foreground', objects: cm, goes: all },
  { ...kro, title: 'kro: with orphan', cascade: 'orphan', objects: cm, goes: all },
  {
    ...kro,
    title: 'kro: not what is not marked',
    objects: cm,
    unmarked: ['a'],
    goes: all.slice(1),
  },
  { ...kro, title: 'kro: a namespace', objects: home, unmarked: ['a', 's', 'w'], goes: home },
  { ...kro, title: 'kro: nothing without its finalizer', finalizers: [], objects: cm, goes: [] },
  { ...claim, title: 'Crossplane: the composite resource', objects: xr, goes: xr },
  { ...claim, title: 'Crossplane: one of another claim', objects: xr, unmarked: ['x'], goes: [] },
];

describe.each(cases.map((one, at) => ({ ...one, prefix: `dv${at}` })))('$title', (one) => {
  test('goes as its preview says', async () => {
    const { prefix, goes, tool = 'Kustomization' } = one;
    const target = await plant(one, prefix);
    const before = await mine(prefix);
    const line = `delete ${tool.toLowerCase()}/${prefix}-app -n ${prefix}-tools --preview -o json`;
    const way = one.cascade ?? 'background';
    const { stdout, stderr } = await gc(`${line} --cascade=${way}`, {
      env: { KUBECONFIG: plane.kubeconfigPath },
    });
    const plan = JSON.parse(stdout || stderr) as Plan;
    const policy = `${way[0]?.toUpperCase()}${way.slice(1)}`;
    await plane.request(target, { method: 'DELETE', body: { propagationPolicy: policy } });
    const gone = await settled(prefix, before);
    const told = plan.objects.filter(mayGo).map(({ uid }) => uid);
    expect(gone.map(nameOf)).toEqual([...goes, `${tool} app`].sort());
    expect(before.filter(({ metadata }) => told.includes(metadata.uid)).map(nameOf)).toEqual(
      gone.map(nameOf),
    );
  });
});

function nameOf({ kind, metadata: { name } }: Delivered): string {
  return `${kind} ${name.replace(/^dv\d+-/, '')}`;
}

/** The objects of a case, by name. */
async function mine(prefix: string): Promise<Delivered[]> {
  const found = await everything(plane);
  const isMine = ({ kind, metadata: { name, namespace } }: Delivered) =>
    name !== 'kube-root-ca.crt' &&
    `${prefix}-tools` !== name &&
    (namespace?.startsWith(`${prefix}-`) ||
      (namespace === undefined && name.startsWith(`${prefix}-`)) ||
      (kind === 'Namespace' && name === `${prefix}-app`));
  return found.filter(isMine).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** What is gone of these, once the object of the tool is, and nothing more goes for a while. */
async function settled(prefix: string, before: readonly Delivered[]): Promise<Delivered[]> {
  let last = -1;
  let since = performance.now();
  return eventually(`the end of ${prefix}`, async () => {
    const now = await mine(prefix);
    const isEnding = now.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (now.length !== last || isEnding) {
      last = now.length;
      since = performance.now();
      return undefined;
    }
    if (performance.now() - since < 1_500) return undefined;
    const left = new Set(now.map(({ metadata }) => metadata.uid));
    return before.filter(({ metadata }) => !left.has(metadata.uid));
  });
}

/** By which a tool knows its own. */
type Marks = Pick<Delivered['metadata'], 'labels' | 'annotations'>;

/** Makes the objects of a case and the tool's own. Answers the path of that. */
async function plant(one: Case, prefix: string): Promise<string> {
  const { tool = 'Kustomization', objects, metadata = {}, unmarked = [], spec = {} } = one;
  const [tools, namespace] = [`${prefix}-tools`, `${prefix}-app`];
  const isFlux = tool === 'Kustomization';
  const marks = (kind: string, name: string, home: string): Marks => {
    const group = kindOf(kind).group;
    const labels = { [`${key}name`]: `${prefix}-app`, [`${key}namespace`]: tools };
    const id = `${prefix}-app:${group}/${kind}:${home}/${name}`;
    if (tool === 'Widget') {
      return {
        labels: {
          'applyset.kubernetes.io/part-of': prefix,
          'crossplane.io/claim-name': `${prefix}-app`,
          'crossplane.io/claim-namespace': tools,
        },
      };
    }
    return isFlux ? { labels } : { annotations: { 'argocd.argoproj.io/tracking-id': id } };
  };
  const realName = (kind: string, name: string) =>
    kindOf(kind).namespaced ? name : `${prefix}-${name}`;
  await plane.create('/api/v1/namespaces', { metadata: { name: tools } });
  const own = objects.includes('Namespace app') ? marks('Namespace', namespace, namespace) : {};
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace, ...own } });
  const made = new Map<string, Delivered>();
  for (const text of objects) {
    const [kind = '', name = '', , owner] = text.split(' ');
    if (kind === 'Namespace') continue;
    const type = kindOf(kind);
    const above = owner === undefined ? undefined : made.get(owner);
    const isMarked = !above && !unmarked.includes(name);
    const { labels, annotations }: Marks = isMarked
      ? marks(kind, realName(kind, name), namespace)
      : {};
    const body = {
      ...(type.group === 'example.com' && { apiVersion: 'example.com/v1', kind }),
      metadata: {
        name: realName(kind, name),
        labels,
        annotations: { ...annotations, ...metadata[name] },
        ...(above && {
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: above.kind,
              name: above.metadata.name,
              uid: above.metadata.uid,
              blockOwnerDeletion: true,
            },
          ],
        }),
      },
      ...(kind === 'Service' && { spec: { clusterIP: 'None' } }),
    };
    made.set(name, { ...(await plane.create<Delivered>(pathOf(type, namespace), body)), kind });
  }
  const entries = (one.entries ?? objects.filter((text) => !text.includes('<'))).map((text) => {
    const [kind = '', name = ''] = text.split(' ');
    const { group, namespaced } = kindOf(kind);
    return { group, kind, name: realName(kind, name), namespace: namespaced ? namespace : '' };
  });
  const status = isFlux
    ? {
        inventory: {
          entries: entries.map(({ group, kind, name, namespace: home }) => ({
            id: `${home}_${name}_${group}_${kind}`,
            v: 'v1',
          })),
        },
      }
    : { resources: entries.map((entry) => ({ ...entry, version: 'v1' })) };
  const usualFinalizer = {
    Kustomization: 'finalizers.fluxcd.io',
    Application: argo,
    Widget: 'kro.run/finalizer',
  };
  const finalizers = one.finalizers ?? [usualFinalizer[tool]];
  const usual = isFlux
    ? {
        prune: true,
        interval: '10m',
        path: './',
        sourceRef: { kind: 'GitRepository', name: 'none' },
      }
    : { project: 'default', destination: { server: 'https://kubernetes.default.svc' } };
  const type = kindOf(tool);
  const path = pathOf(type, tools);
  const name = `${prefix}-app`;
  await plane.create(path, {
    apiVersion: type.path.replace('/apis/', ''),
    kind: tool,
    metadata: { name, finalizers, labels: { 'applyset.kubernetes.io/id': prefix } },
    spec: { ...usual, ...spec },
    status,
  });
  if (folders && isFlux) await plane.patch(`${path}/${name}/status`, { status });
  return `${path}/${name}`;
}

test('what waits for an operator that goes is named, in whatever namespace it is', async () => {
  for (const name of ['operators', 'widgets'])
    await plane.create('/api/v1/namespaces', { metadata: { name } });
  const labels = { app: 'widgets' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await plane.create('/apis/apps/v1/namespaces/operators/deployments', {
    metadata: { name: 'widgets-operator' },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
  await plane.create('/apis/example.com/v1/namespaces/widgets/widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'held', finalizers: ['widgets.acme.io/cleanup'] },
  });
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout } = await gc('delete deployment/widgets-operator -n operators --preview', { env });
  expect(stdout).toContain(
    'Warning: 1 Widget stays, with finalizer widgets.acme.io/cleanup, and can never be deleted without Deployment widgets-operator, which by its name removes it.',
  );
});

test('a Deployment that a Kustomization of another namespace applied comes back', async () => {
  const labels = { [`${key}name`]: 'apps', [`${key}namespace`]: 'delivery' };
  for (const name of ['delivery', 'applied'])
    await plane.create('/api/v1/namespaces', { metadata: { name } });
  await plane.create('/api/v1/namespaces/applied/configmaps', {
    metadata: { name: 'settings', labels },
  });
  const home = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/delivery/kustomizations';
  const status = { inventory: { entries: [{ id: 'applied_settings__ConfigMap', v: 'v1' }] } };
  await plane.create(home, {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps' },
    spec: { prune: true, interval: '5m', sourceRef: { kind: 'GitRepository', name: 'none' } },
    status,
  });
  if (folders) await plane.patch(`${home}/apps/status`, { status });
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const told = await gc('delete configmap/settings -n applied --preview', { env });
  expect(told.stdout).toContain(
    'Warning: Flux Kustomization delivery/apps makes 1 ConfigMap again within its interval (5m).',
  );
  const why = await gc('why configmap/settings -n applied', { env });
  expect(why.stdout).toContain(
    'Flux Kustomization delivery/apps applied it, and makes it again within its interval (5m)',
  );
  const owners = await gc('owners configmap/settings -n applied', { env });
  expect(owners.stderr).toContain(
    'ConfigMap/settings has no owner. Flux Kustomization delivery/apps applied it.',
  );
  const tree = await gc('tree kustomization/apps -n delivery -o tree', { env });
  expect(tree.stdout.split('\n')[1]).toBe(
    '└╌ ConfigMap/settings -n applied  Flux Kustomization leaves it: it has no finalizer finalizers.fluxcd.io',
  );
});

test('a tree of an object that its finalizer makes one of a tool reads all namespaces', async () => {
  await plant({ ...kro, title: '', objects: home, goes: home }, 'dv91');
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout } = await gc('tree widget/dv91-app -n dv91-tools -o tree', { env });
  expect(stdout.split('\n').slice(1, 5)).toEqual([
    '├╌ ConfigMap/a -n dv91-app  kro instance would delete it',
    '├╌ Namespace/dv91-app  kro instance would delete it',
    '├╌ Secret/s -n dv91-app  kro instance would delete it',
    '└╌ Service/w -n dv91-app  kro instance would delete it',
  ]);
});

test('all that a tool deletes counts for the limit, is followed and saved, and comes back', async () => {
  const one: Case = { title: '', objects: cm, goes: all };
  await plant(one, 'dv90');
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const line = 'delete kustomization/dv90-app -n dv90-tools --yes';
  expect(await gc(`${line} --max-deletes 4`, { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('5 objects would be deleted, and --max-deletes allows 4'),
  });
  const folder = join(temporaryFolder(), 'kept');
  const deleted = await gc(`${line} --max-deletes 5 --timeout 60s --backup ${folder}`, { env });
  expect(deleted.code, deleted.stderr).toBe(0);
  expect((await mine('dv90')).map(nameOf)).toEqual(['Namespace app']);
  const restored = await gc(`restore ${folder} --yes`, { env });
  expect(restored.code, restored.stdout + restored.stderr).toBe(0);
  expect((await mine('dv90')).map(nameOf)).toEqual([...all, 'Kustomization app', 'Namespace app']);
});

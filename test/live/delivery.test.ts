import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayGo } from '../../src/deletion/plan/going.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf, objectPath } from '../../src/kube/resource-type.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { workload } from '../support/workload.ts';
import { all, argo, type Case, cases, cm, flux, home, key, kro } from './delivery-cases.ts';
import {
  type Delivered,
  everything,
  kindOf,
  startArgo,
  startKustomizeController,
  startTools,
  trackingId,
} from './delivery-tools.ts';

/**
 * What is gone after the object of a delivery tool was deleted is what its preview named. The tools are
 * played by the test as their code does it; with KUSTOMIZE_CONTROLLER, the path of its binary, the real kustomize-controller
 * does its part, and with ARGOCD_CONTROLLER the real argocd-application-controller. DELIVERY_CRDS are folders of real
 * definitions, in the place of those of the test: of these controllers and of source-controller, and as wanted of OLM and
 * Cluster API. DELIVERY_LOG takes what the controllers print.
 */
const {
  KUSTOMIZE_CONTROLLER: binary,
  ARGOCD_CONTROLLER: argoBinary,
  DELIVERY_CRDS: folders,
} = process.env;

let plane: ControlPlane;
/** A real definition has a status of its own. */
let isRealFlux = false;
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  const real = folders ? folders.split(':').flatMap(definitionsIn) : [];
  const names = new Set(real.map(({ metadata }) => metadata.name));
  isRealFlux = names.has('kustomizations.kustomize.toolkit.fluxcd.io');
  const standIns = [
    customDefinition('Kustomization', 'kustomize.toolkit.fluxcd.io'),
    customDefinition('HelmRelease', 'helm.toolkit.fluxcd.io', { versions: ['v2'] }),
    customDefinition('Application', 'argoproj.io', { versions: ['v1alpha1'] }),
    customDefinition('ClusterServiceVersion', 'operators.coreos.com', { versions: ['v1alpha1'] }),
    customDefinition('OperatorGroup', 'operators.coreos.com'),
    customDefinition('Cluster', 'cluster.x-k8s.io', { versions: ['v1beta2'] }),
    customDefinition('MachineDeployment', 'cluster.x-k8s.io', { versions: ['v1beta2'] }),
  ];
  plane = await startControlPlane({
    controllers: ['*', '-node-lifecycle-controller'],
    definitions: [
      ...exampleDefinitions,
      ...real,
      ...standIns.filter(({ metadata }) => !names.has(metadata.name)),
    ],
  });
  const played = [
    ...(argoBinary ? [] : ['Application']),
    'HelmRelease',
    'Widget',
    'ClusterServiceVersion',
    'OperatorGroup',
    'Cluster',
    ...(binary ? [] : ['Kustomization']),
  ];
  running.push(startTools(plane, played));
  if (binary) running.push(startKustomizeController(binary, plane.kubeconfigPath));
  if (argoBinary) running.push(await startArgo(argoBinary, plane, plane.kubeconfigPath));
});
function definitionsIn(folder: string): KubeObject[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => yamlValue(readFileSync(join(folder, name), 'utf8')) as KubeObject);
}
afterAll(async () => {
  for (const tool of running) await tool.stop();
  await plane?.stop();
});

describe.each(cases.map((one, at) => ({ ...one, prefix: `dv${at}` })))('$title', (one) => {
  test('goes as its preview says', async () => {
    const { prefix, goes, tool } = one;
    const target = await plant(one, prefix);
    const before = await mine(prefix);
    const line = `delete ${tool.toLowerCase()}/${prefix}-app -n ${homeOf(one, prefix)} --preview -o json`;
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

/** OLM and Cluster API own what is in their namespace. */
function homeOf({ tool }: Case, prefix: string): string {
  const isBeside =
    tool === 'ClusterServiceVersion' || tool === 'OperatorGroup' || tool === 'Cluster';
  return `${prefix}-${isBeside ? 'app' : 'tools'}`;
}

/** By which a tool knows its own. */
type Marks = Pick<Delivered['metadata'], 'labels' | 'annotations'>;

/** Makes the objects of a case and the tool's own. Answers the path of that. */
async function plant(one: Case, prefix: string): Promise<string> {
  const { tool, objects, metadata = {}, unmarked = [] } = one;
  const [tools, namespace] = [`${prefix}-tools`, `${prefix}-app`];
  const isFlux = tool === 'Kustomization' || tool === 'HelmRelease';
  const marks = (kind: string, name: string, home: string): Marks => {
    const group = kindOf(kind).group;
    const mine = tool === 'HelmRelease' ? 'helm.toolkit.fluxcd.io/' : key;
    const labels = { [`${mine}name`]: `${prefix}-app`, [`${mine}namespace`]: tools };
    // An application outside of Argo's own namespace is named with its namespace.
    const id = `${tools}_${prefix}-app:${group}/${kind}:${home}/${name}`;
    if (kind === 'ClusterServiceVersion') return { labels: { 'olm.copiedFrom': home } };
    if (kind === 'CustomResourceDefinition') return { labels: { [operatorOf(prefix)]: '' } };
    const app = `${prefix}-app`;
    if (tool === 'Cluster') return { labels: { 'cluster.x-k8s.io/cluster-name': app } };
    if (tool === 'ClusterServiceVersion' || tool === 'OperatorGroup') {
      const owner = { 'olm.owner': app, 'olm.owner.namespace': home, 'olm.owner.kind': tool };
      return { labels: owner };
    }
    if (tool === 'Widget') {
      const claim = { 'crossplane.io/claim-name': app, 'crossplane.io/claim-namespace': tools };
      return { labels: { 'applyset.kubernetes.io/part-of': prefix, ...claim } };
    }
    return isFlux ? { labels } : { annotations: { [trackingId]: id } };
  };
  await plane.make(`Namespace ${tools}`);
  const own = objects.includes('Namespace app') ? marks('Namespace', namespace, namespace) : {};
  await plane.make(`Namespace ${namespace}`, { metadata: own });
  const made = new Map<string, Delivered>();
  // OLM deletes what is left of objects that are not there.
  const isFirst = homeOf(one, prefix) === namespace;
  const path = objectPath(kindOf(tool), homeOf(one, prefix));
  if (isFirst) made.set('app', await plantTool(one, prefix));
  for (const text of objects) {
    const [kind = '', name = '', , owner] = text.split(' ');
    if (kind === 'Namespace') continue;
    const type = kindOf(kind);
    const named = realName(kind, name, prefix);
    const above = owner === undefined ? undefined : made.get(owner);
    const isMarked = (!above || owner === 'app') && !unmarked.includes(name);
    const { labels, annotations }: Marks = isMarked ? marks(kind, named, namespace) : {};
    const body = {
      ...bodyOf(kind, named),
      metadata: {
        name: named,
        labels,
        annotations: { ...annotations, ...metadata[name] },
        ...(above && {
          ownerReferences: [
            {
              apiVersion: apiVersionOf(kindOf(above.kind)),
              kind: above.kind,
              name: above.metadata.name,
              uid: above.metadata.uid,
              blockOwnerDeletion: true,
            },
          ],
        }),
      },
    };
    // A copy has the name of what it was copied from.
    const home = kind === 'ClusterServiceVersion' ? tools : namespace;
    made.set(name, { ...(await plane.create<Delivered>(objectPath(type, home), body)), kind });
  }
  if (!isFirst) await plantTool(one, prefix);
  return `${path}/${prefix}-app`;
}

/** What an object of a kind needs beside its metadata. */
function bodyOf(kind: string, name: string): object {
  const apiVersion = apiVersionOf(kindOf(kind));
  if (kind === 'Service') return { spec: { clusterIP: 'None' } };
  if (kind === 'CustomResourceDefinition') {
    const [plural = ''] = name.split('.');
    const { spec } = customDefinition(`D${plural.replace('-', '')}`, 'example.com', { plural });
    return { apiVersion, kind, spec };
  }
  if (kind === 'ClusterServiceVersion') return { apiVersion, kind, spec: usualSpec[kind] };
  if (kind === 'MachineDeployment') {
    const infrastructureRef = { apiGroup: 'example.com', kind: 'Widget', name: 'any' };
    const bootstrap = { dataSecretName: 'any' };
    const template = { spec: { clusterName: 'any', bootstrap, infrastructureRef } };
    const spec = { clusterName: 'any', selector: { matchLabels: { app: 'any' } }, template };
    return { apiVersion, kind, spec };
  }
  return { apiVersion, kind };
}

function realName(kind: string, name: string, prefix: string): string {
  return kindOf(kind).namespaced && name !== 'app' ? name : `${prefix}-${name}`;
}

function operatorOf(prefix: string): string {
  return `operators.coreos.com/${prefix}.test`;
}

/** As Flux names an object in its inventory. */
function idOf({ group, kind, name, namespace }: Readonly<Record<string, string>>): string {
  return `${namespace}_${name}_${group}_${kind}`;
}

async function plantTool(one: Case, prefix: string): Promise<Delivered> {
  const { tool, objects, spec = {} } = one;
  const isFlux = tool === 'Kustomization' || tool === 'HelmRelease';
  const entries = (one.entries ?? objects.filter((text) => !text.includes('<'))).map((text) => {
    const [kind = '', name = ''] = text.split(' ');
    const { group, namespaced } = kindOf(kind);
    const namespace = namespaced ? `${prefix}-app` : '';
    return { group, kind, name: realName(kind, name, prefix), namespace };
  });
  const status = isFlux
    ? { inventory: { entries: entries.map((entry) => ({ id: idOf(entry), v: 'v1' })) } }
    : { resources: entries.map((entry) => ({ ...entry, version: 'v1' })) };
  const usualFinalizer = {
    Kustomization: 'finalizers.fluxcd.io',
    HelmRelease: 'finalizers.fluxcd.io',
    Application: argo,
    Widget: 'kro.run/finalizer',
    ClusterServiceVersion: 'operators.coreos.com/csv-cleanup',
    OperatorGroup: '',
    Cluster: 'cluster.cluster.x-k8s.io',
  };
  const type = kindOf(tool);
  const path = objectPath(type, homeOf(one, prefix));
  const name = `${prefix}-app`;
  const made = await plane.create<Delivered>(path, {
    apiVersion: apiVersionOf(type),
    kind: tool,
    metadata: {
      name,
      finalizers: one.finalizers ?? [usualFinalizer[tool]],
      labels: { 'applyset.kubernetes.io/id': prefix, [operatorOf(prefix)]: '' },
    },
    spec: { ...usualSpec[tool], ...spec },
    ...(tool === 'Cluster' ? {} : { status }),
  });
  if (isRealFlux && tool === 'Kustomization')
    await plane.patch(`${path}/${name}/status`, { status });
  return { ...made, kind: tool };
}

const pruning = {
  prune: true,
  interval: '10m',
  path: './',
  sourceRef: { kind: 'GitRepository', name: 'none' },
};
const usualSpec: Readonly<Record<Case['tool'], object>> = {
  Kustomization: pruning,
  HelmRelease: pruning,
  Application: { project: 'default', destination: { server: 'https://kubernetes.default.svc' } },
  Widget: {},
  // What the real definition asks for.
  ClusterServiceVersion: {
    displayName: 'test',
    install: { strategy: 'deployment', spec: { deployments: [] } },
  },
  OperatorGroup: {},
  Cluster: {},
};

test('what waits for an operator that goes is named, in whatever namespace it is', async () => {
  for (const name of ['operators', 'widgets']) await plane.make(`Namespace ${name}`);
  const operator = workload('widgets-operator', { replicas: 0 });
  await plane.make('Deployment operators/widgets-operator', operator);
  await plane.make('Widget widgets/held', {
    metadata: { finalizers: ['widgets.acme.io/cleanup'] },
  });
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout } = await gc('delete deployment/widgets-operator -n operators --preview', { env });
  expect(stdout).toContain(
    'Warning: 1 Widget stays, with finalizer widgets.acme.io/cleanup, and can never be deleted without Deployment widgets-operator, which by its name removes it.',
  );
});

test('a Deployment that a Kustomization of another namespace applied comes back', async () => {
  const labels = { [`${key}name`]: 'apps', [`${key}namespace`]: 'delivery' };
  for (const name of ['delivery', 'applied']) await plane.make(`Namespace ${name}`);
  await plane.make('ConfigMap applied/settings', { metadata: { labels } });
  const home = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/delivery/kustomizations';
  const status = { inventory: { entries: [{ id: 'applied_settings__ConfigMap', v: 'v1' }] } };
  await plane.make('kustomize.toolkit.fluxcd.io/v1 Kustomization delivery/apps', {
    spec: { prune: true, interval: '5m', sourceRef: { kind: 'GitRepository', name: 'none' } },
    status,
  });
  if (isRealFlux) await plane.patch(`${home}/apps/status`, { status });
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
  await plant(kro('', home, home), 'dv91');
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
  await plant(flux('', cm, all), 'dv90');
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

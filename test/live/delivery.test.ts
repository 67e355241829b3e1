import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectPath } from '../../src/cluster/api-path.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { disappearingIn } from '../../src/deletion/plan/plan-totals.ts';
import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import { customDefinition, exampleDefinitions } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Case, cases } from './delivery-cases.ts';
import {
  type Delivered,
  entryOf,
  everything,
  kindOf,
  type Marks,
  operatorOf,
  startArgo,
  startKustomizeController,
  startTools,
  type ToolKind,
  toolOf,
  tools,
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

const folder = temporaryFolder();
const real = folders ? folders.split(':').flatMap(definitionsIn) : [];
const names = new Set(real.map(({ metadata }) => metadata.name));
/** A real definition has a status of its own. */
const isRealFlux = names.has('kustomizations.kustomize.toolkit.fluxcd.io');
const standIns = Object.keys({ ...tools, MachineDeployment: true })
  .filter((kind) => kind !== 'Widget')
  .map((kind) => {
    const { group, version } = kindOf(kind);
    return customDefinition(kind, group, { versions: [version] });
  });
const plane = await ownControlPlane({
  controllers: ['*', '-node-lifecycle-controller'],
  definitions: [
    ...exampleDefinitions,
    ...real,
    ...standIns.filter(({ metadata }) => !names.has(metadata.name)),
  ],
});
const ask = (line: string) => gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });

const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  const played = (Object.keys(tools) as ToolKind[]).filter(
    (kind) => !(argoBinary && kind === 'Application') && !(binary && kind === 'Kustomization'),
  );
  running.push(startTools(plane, played));
  if (binary) running.push(startKustomizeController(binary, plane.kubeconfigPath));
  if (argoBinary) running.push(await startArgo(argoBinary, plane, plane.kubeconfigPath));
});
afterAll(async () => {
  for (const tool of running) await tool.stop();
});

function definitionsIn(path: string): KubeObject[] {
  const files = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => yamlValue(readFileSync(join(path, name), 'utf8')) as KubeObject);
}

test.concurrent.for(cases.map((one, at) => ({ ...one, prefix: `dv${at}` })))(
  '$title: is deleted as previewed',
  async (one) => {
    const { prefix, goes, tool, cascade = 'background' } = one;
    const target = await plant(one, prefix);
    const before = await mine(prefix);
    const line = `delete ${tool.toLowerCase()}/${prefix}-app -n ${homeOf(one, prefix)}`;
    const { stdout, stderr } = await ask(`${line} --preview -o json --cascade=${cascade}`);
    const { objects } = JSON.parse(stdout || stderr) as Plan;
    const propagationPolicy = `${cascade[0]?.toUpperCase()}${cascade.slice(1)}`;
    await plane.remove(target, { propagationPolicy });
    const gone = (await settled(prefix, before)).map(nameOf);
    const told = new Set(disappearingIn({ objects }).map(({ uid }) => uid));
    expect(gone).toEqual([...goes, `${tool} app`].sort());
    expect(before.filter(({ metadata }) => told.has(metadata.uid)).map(nameOf)).toEqual(gone);
  },
);

function nameOf({ kind, metadata: { name } }: Delivered): string {
  return `${kind} ${name.replace(/^dv\d+-/, '')}`;
}

/** The objects of a case, by name. */
async function mine(prefix: string): Promise<Delivered[]> {
  const isMine = ({ kind, metadata: { name, namespace } }: Delivered) =>
    name !== 'kube-root-ca.crt' &&
    `${prefix}-tools` !== name &&
    (namespace?.startsWith(`${prefix}-`) ||
      (namespace === undefined && name.startsWith(`${prefix}-`)) ||
      (kind === 'Namespace' && name === `${prefix}-app`));
  const found = (await everything(plane)).filter(isMine);
  return found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
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
  return `${prefix}-${isBeside(tool) ? 'app' : 'tools'}`;
}

function isBeside(tool: ToolKind): boolean {
  return tool === 'ClusterServiceVersion' || tool === 'OperatorGroup' || tool === 'Cluster';
}

function realName(kind: string, name: string, prefix: string): string {
  return kindOf(kind).namespaced && name !== 'app' ? name : `${prefix}-${name}`;
}

/** Makes the objects of a case and the tool's own. Answers the path of that. */
async function plant(one: Case, prefix: string): Promise<string> {
  const { tool, objects, metadata = {}, unmarked = [] } = one;
  const app = `${prefix}-app`;
  const namespace = `${prefix}-tools`;
  const marksOf = (kind: string, name: string): Marks =>
    toolOf(tool).marks({ app, namespace, group: kindOf(kind).group, kind, name, home: app });
  const isMarked = objects.includes('Namespace app');
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`Namespace ${app}`, { metadata: isMarked ? marksOf('Namespace', app) : {} });
  const made = new Map<string, Delivered>();
  // OLM deletes what is left of objects that are not there.
  if (isBeside(tool)) made.set('app', await plantTool(one, prefix));
  for (const text of objects) {
    const [kind = '', name = '', , owner] = text.split(' ');
    if (kind === 'Namespace') continue;
    const named = realName(kind, name, prefix);
    const above = owner === undefined ? undefined : made.get(owner);
    const isOwn = (!above || owner === 'app') && !unmarked.includes(name);
    const { labels, annotations }: Marks = isOwn ? marksOf(kind, named) : {};
    const body = {
      ...bodyOf(kind, named),
      metadata: {
        name: named,
        labels,
        annotations: { ...annotations, ...metadata[name] },
        ...(above && { ownerReferences: [referenceTo(above)] }),
      },
    };
    // A copy has the name of what it was copied from.
    const home = kind === 'ClusterServiceVersion' ? namespace : app;
    const stored = await plane.create<Delivered>(objectPath(kindOf(kind), home), body);
    made.set(name, { ...stored, kind });
  }
  if (!isBeside(tool)) await plantTool(one, prefix);
  return objectPath(kindOf(tool), homeOf(one, prefix), app);
}

function referenceTo({ kind, metadata: { name, uid } }: Delivered) {
  return { apiVersion: apiVersionOf(kindOf(kind)), kind, name, uid, blockOwnerDeletion: true };
}

/** What an object of a kind needs beside its metadata. */
function bodyOf(kind: string, name: string): object {
  const body = { apiVersion: apiVersionOf(kindOf(kind)), kind };
  if (kind === 'Service') return { spec: { clusterIP: 'None' } };
  if (kind === 'ClusterServiceVersion') return { ...body, spec: tools[kind].spec };
  if (kind === 'CustomResourceDefinition') {
    const [plural = ''] = name.split('.');
    const { spec } = customDefinition(`D${plural.replace('-', '')}`, 'example.com', { plural });
    return { ...body, spec };
  }
  if (kind !== 'MachineDeployment') return body;
  const infrastructureRef = { apiGroup: 'example.com', kind: 'Widget', name: 'any' };
  const bootstrap = { dataSecretName: 'any' };
  const template = { spec: { clusterName: 'any', bootstrap, infrastructureRef } };
  const selector = { matchLabels: { app: 'any' } };
  return { ...body, spec: { clusterName: 'any', selector, template } };
}

async function plantTool(one: Case, prefix: string): Promise<Delivered> {
  const { tool, objects, spec = {} } = one;
  const { spec: usual, finalizer } = toolOf(tool);
  const entries = (one.entries ?? objects.filter((text) => !text.includes('<'))).map((text) => {
    const [kind = '', name = ''] = text.split(' ');
    const { group, namespaced } = kindOf(kind);
    const namespace = namespaced ? `${prefix}-app` : '';
    return { group, kind, metadata: { name: realName(kind, name, prefix), namespace, uid: '' } };
  });
  const status =
    finalizer === tools.Kustomization.finalizer
      ? { inventory: { entries: entries.map((entry) => ({ id: entryOf(entry), v: 'v1' })) } }
      : {
          resources: entries.map(({ group, kind, metadata: { name, namespace } }) => {
            return { group, kind, name, namespace, version: 'v1' };
          }),
        };
  const type = kindOf(tool);
  const path = objectPath(type, homeOf(one, prefix));
  const name = `${prefix}-app`;
  const made = await plane.create<Delivered>(path, {
    apiVersion: apiVersionOf(type),
    kind: tool,
    metadata: {
      name,
      finalizers: one.finalizers ?? [finalizer],
      labels: { 'applyset.kubernetes.io/id': name, [operatorOf(name)]: '' },
    },
    spec: { ...usual, ...spec },
    ...(tool === 'Cluster' ? {} : { status }),
  });
  if (isRealFlux && tool === 'Kustomization') await plane.report(`${path}/${name}`, status);
  return { ...made, kind: tool };
}

test('a Deployment that a Kustomization of another namespace applied is recreated', async () => {
  const place = { group: '', kind: 'ConfigMap', name: 'settings', home: 'applied' };
  const metadata = tools.Kustomization.marks({ ...place, app: 'apps', namespace: 'delivery' });
  for (const name of ['delivery', 'applied']) await plane.make(`Namespace ${name}`);
  await plane.make('ConfigMap applied/settings', { metadata });
  const apps = 'kustomize.toolkit.fluxcd.io/v1 Kustomization delivery/apps';
  const status = { inventory: { entries: [{ id: 'applied_settings__ConfigMap', v: 'v1' }] } };
  const spec = { ...tools.Kustomization.spec, interval: '5m' };
  await plane.make(apps, { spec, status });
  if (isRealFlux) await plane.report(apps, status);
  const when = 'within its interval (5m)';
  const told = await ask('delete configmap/settings -n applied --preview');
  expect(told.stdout).toContain(
    `Warning: Flux Kustomization delivery/apps recreates 1 ConfigMap ${when}.`,
  );
  const why = await ask('why configmap/settings -n applied');
  expect(why.stdout).toContain(
    `Flux Kustomization delivery/apps applied it, and recreates it ${when}`,
  );
  const owners = await ask('owners configmap/settings -n applied');
  expect(owners.stderr).toContain(
    'ConfigMap/settings has no owner. Flux Kustomization delivery/apps applied it.',
  );
  const tree = await ask('tree kustomization/apps -n delivery -o tree');
  expect(tree.stdout.split('\n')[1]).toBe(
    '└╌ ConfigMap/settings -n applied  Flux Kustomization leaves it: it has no finalizer finalizers.fluxcd.io',
  );
});

test('all objects that a tool deletes count for the limit, are followed and saved, and are restored', async () => {
  const whole = cases[0] as Case;
  await plant(whole, 'dv90');
  const line = 'delete kustomization/dv90-app -n dv90-tools --yes';
  expect(await ask(`${line} --max-deletes 4`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('5 objects would be deleted, and --max-deletes allows 4'),
  });
  const kept = join(folder, 'kept');
  const deleted = await ask(`${line} --max-deletes 5 --timeout 60s --backup ${kept}`);
  expect(deleted.code, deleted.stderr).toBe(0);
  expect((await mine('dv90')).map(nameOf)).toEqual(['Namespace app']);
  const restored = await ask(`restore ${kept} --yes`);
  expect(restored.code, restored.stdout + restored.stderr).toBe(0);
  expect((await mine('dv90')).map(nameOf)).toEqual([
    ...whole.goes,
    'Kustomization app',
    'Namespace app',
  ]);
});

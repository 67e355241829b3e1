import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import type { Doomed, Scenario, Scene } from './deleted-scene.ts';
import { userOf } from './deleted-stage.ts';
import { startArgo, startKustomizeController, tools } from './delivery-tools.ts';

/**
 * Objects of delivery tools that delete what they applied. With KUSTOMIZE_CONTROLLER and ARGOCD_CONTROLLER, the paths of
 * their binaries, and DELIVERY_CRDS, folders of real definitions, the real controllers do; else their accounts send what
 * they send.
 */
const {
  KUSTOMIZE_CONTROLLER: fluxBinary,
  ARGOCD_CONTROLLER: argoBinary,
  DELIVERY_CRDS: folders,
} = process.env;
const delivered = {
  Kustomization: {
    group: 'kustomize.toolkit.fluxcd.io',
    version: 'v1',
    resource: 'kustomizations',
  },
  Application: { group: 'argoproj.io', version: 'v1alpha1', resource: 'applications' },
} as const;

const real = folders ? folders.split(':').flatMap(definitionsIn) : [];
const realNames = new Set(real.map(({ metadata }) => metadata.name));

export const deliveryDefinitions: readonly KubeObject[] = [
  ...real,
  ...Object.entries(delivered)
    .map(([kind, { group, version }]) => customDefinition(kind, group, { versions: [version] }))
    .filter(({ metadata }) => !realNames.has(metadata.name)),
];

function definitionsIn(path: string): KubeObject[] {
  const files = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => yamlValue(readFileSync(join(path, name), 'utf8')) as KubeObject);
}

/** An object of a tool, named apps, that has applied ConfigMap settings. */
async function applied(scene: Scene, kind: keyof typeof delivered): Promise<Doomed> {
  const { namespace } = scene;
  const { group, version, resource } = delivered[kind];
  const { finalizer, spec, marks } = tools[kind];
  const place = { group: '', kind: 'ConfigMap', name: 'settings', home: namespace };
  await scene.make('ConfigMap settings', { metadata: marks({ ...place, app: 'apps', namespace }) });
  const folder = `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
  const made = await scene.plane.create<{ metadata: { uid: string } }>(folder, {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'apps', finalizers: [finalizer] },
    spec,
  });
  const { uid } = made.metadata;
  return { kind, namespace, name: 'apps', group, resource, path: `${folder}/apps`, uid };
}

export const deliveryScenarios: Readonly<Record<string, Scenario>> = {
  'flux-prunes': async (scene) => {
    const apps = await applied(scene, 'Kustomization');
    if (fluxBinary) {
      const { stage, namespace } = scene;
      const entries = [{ id: `${namespace}_settings__ConfigMap`, v: 'v1' }];
      await scene.plane.report(apps.path, { inventory: { entries } });
      stage.running.push(startKustomizeController(fluxBinary, stage.kubeconfig('flux')));
    }
    return deletion(scene, apps, 'flux', !fluxBinary);
  },
  'argo-cascades': async (scene) => {
    const apps = await applied(scene, 'Application');
    if (argoBinary) {
      const { stage, plane } = scene;
      stage.running.push(await startArgo(argoBinary, plane, stage.kubeconfig('argo')));
    }
    return deletion(scene, apps, 'argo', !argoBinary);
  },
};

/** `isPlayed`: the account of the tool sends what the tool sends. */
async function deletion(scene: Scene, apps: Doomed, tool: 'flux' | 'argo', isPlayed: boolean) {
  const settings = await scene.doomed('ConfigMap settings');
  return async () => {
    await scene.kubectl('alice', `delete ${apps.resource}.${apps.group} apps --wait=false`);
    if (isPlayed) {
      await scene.send(tool, 'DELETE', settings.path);
      await scene.send(tool, 'PATCH', apps.path, { metadata: { finalizers: [] } });
    }
    await scene.gone(settings, apps);
    const first = scene.request(apps, 'alice');
    scene.truths(apps.kind.toLowerCase(), apps, [[first]], { endedBy: userOf(tool) });
    scene.truth('configmap', settings, scene.request(settings, tool), scene.optional(first));
  };
}

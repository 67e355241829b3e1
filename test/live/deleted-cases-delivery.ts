import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import type { Doomed, Scenario, Scene } from './deleted-scene.ts';
import { userOf } from './deleted-stage.ts';
import { startKustomizeController, tools } from './delivery-tools.ts';

/**
 * A Kustomization of Flux. With KUSTOMIZE_CONTROLLER, the path of its binary, and DELIVERY_CRDS, folders of real definitions,
 * the real controller prunes; else its account sends what it sends.
 */
const { KUSTOMIZE_CONTROLLER: binary, DELIVERY_CRDS: folders } = process.env;
const group = 'kustomize.toolkit.fluxcd.io';
const finalizer = tools.Kustomization.finalizer;

export const deliveryDefinitions: readonly KubeObject[] =
  binary && folders
    ? folders.split(':').flatMap(definitionsIn)
    : [customDefinition('Kustomization', group)];

function definitionsIn(path: string): KubeObject[] {
  const files = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => yamlValue(readFileSync(join(path, name), 'utf8')) as KubeObject);
}

/** A Kustomization that has applied ConfigMap settings. */
async function kustomization(scene: Scene): Promise<Doomed> {
  const { namespace } = scene;
  const place = { group: '', kind: 'ConfigMap', name: 'settings', home: namespace };
  const metadata = tools.Kustomization.marks({ ...place, app: 'apps', namespace });
  await scene.make('ConfigMap settings', { metadata });
  const folder = `/apis/${group}/v1/namespaces/${namespace}/kustomizations`;
  const made = await scene.plane.create<{ metadata: { uid: string } }>(folder, {
    apiVersion: `${group}/v1`,
    kind: 'Kustomization',
    metadata: { name: 'apps', finalizers: [finalizer] },
    spec: tools.Kustomization.spec,
  });
  const entries = [{ id: `${namespace}_settings__ConfigMap`, v: 'v1' }];
  const path = `${folder}/apps`;
  if (binary) await scene.plane.report(path, { inventory: { entries } });
  return {
    kind: 'Kustomization',
    namespace,
    name: 'apps',
    group,
    resource: 'kustomizations',
    path,
    uid: made.metadata.uid,
  };
}

export const deliveryScenarios: Readonly<Record<string, Scenario>> = {
  'flux-prunes': async (scene) => {
    const apps = await kustomization(scene);
    const settings = await scene.doomed('ConfigMap settings');
    if (binary) {
      const { stage } = scene;
      stage.running.push(startKustomizeController(binary, stage.kubeconfig('flux')));
    }
    return async () => {
      await scene.kubectl('alice', `delete kustomizations.${group} apps --wait=false`);
      if (!binary) {
        await scene.send('flux', 'DELETE', settings.path);
        await scene.send('flux', 'PATCH', apps.path, { metadata: { finalizers: [] } });
      }
      await scene.gone(settings, apps);
      const first = scene.request(apps, 'alice');
      scene.truths('kustomization', apps, [[first]], { endedBy: userOf('flux') });
      const asked = scene.optional(first);
      scene.truth('configmap', settings, scene.request(settings, 'flux'), asked);
    };
  },
};

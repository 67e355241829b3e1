import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { serveKind } from '../support/served-kinds.ts';
import { inNamespace, refTo, restoreStage } from './restore-stage.ts';

/** Owners that are saved in one version of their kind and named in another, while the collector runs. */
const namespace = 'restore-versions';
const { cluster, backUp, restoreOf, remove, create } = restoreStage(namespace);
const group = 'versions.example.com';
const crates = (version: string) => `/apis/${group}/${version}/namespaces/${namespace}/crates`;
const configMaps = inNamespace(namespace, 'configmaps');

test('references in every version of a restored definition lead to the restored owner', async () => {
  const versions = ['v1', 'v1beta1'];
  const kind = customDefinition('Crate', group, { versions, retired: ['v1alpha1'] });
  const definition = await serveKind(cluster, kind);
  const owner = await create(crates('v1'), {
    apiVersion: `${group}/v1`,
    kind: 'Crate',
    metadata: { name: 'owner' },
  });
  const named = (version: string) => ({ ...refTo(owner), apiVersion: `${group}/${version}` });
  const dependents: [path: string, object: KubeObject, version: string][] = [];
  for (const [index, version] of ['v1', 'v1beta1', 'v1alpha1', 'v1beta1'].entries()) {
    const metadata = { name: `part-${index}`, ownerReferences: [named(version)] };
    dependents.push([configMaps, await create(configMaps, { metadata }), version]);
  }
  for (const [index, version] of ['v1', 'v1beta1', 'v1beta1'].entries()) {
    const crate = await create(crates('v1'), {
      apiVersion: `${group}/v1`,
      kind: 'Crate',
      metadata: { name: `inner-${index}`, ownerReferences: [named(version)] },
    });
    dependents.push([crates('v1'), crate, version]);
  }
  const saved = await cluster.get<KubeObject>(definition);
  const objects = [saved, owner, ...dependents.map(([, object]) => object)];
  const directory = await backUp('versions', ...objects.map((object): [KubeObject] => [object]));
  await remove(definition);
  for (const [path, { metadata }] of dependents) {
    if (path === configMaps) {
      await cluster.request(`${configMaps}/${metadata.name}`, { method: 'DELETE' });
    }
  }

  const { ends, document } = await restoreOf(`${directory} --yes`);
  expect(new Set(Object.values(ends))).toEqual(new Set(['created']));
  const changes = document.objects.flatMap(({ references }) =>
    references.map(({ change }) => change),
  );
  expect(changes).not.toContain('kept');
  const { metadata } = await cluster.get<KubeObject>(`${crates('v1')}/owner`);
  expect(metadata.uid).not.toBe(owner.metadata.uid);
  const now = () =>
    Promise.all(
      dependents.map(async ([path, object]) => {
        const answer = await cluster.request(`${path}/${object.metadata.name}`);
        const live = JSON.parse(answer.body) as Partial<KubeObject>;
        return [object.metadata.name, live.metadata?.uid, live.metadata?.ownerReferences];
      }),
    );
  const restored = await now();
  expect(restored).toEqual(
    dependents.map(([, object, version]) => [
      object.metadata.name,
      expect.not.stringMatching(String(object.metadata.uid)),
      // A version that is not served is no way to an owner: the collector tries no other one.
      [{ ...named(version === 'v1alpha1' ? 'v1' : version), uid: metadata.uid }],
    ]),
  );
  await delay(75_000);
  expect(await now()).toEqual(restored);
  expect(new Set(Object.values((await restoreOf(`${directory} --yes`)).ends))).toEqual(
    new Set(['exists']),
  );
  await remove(definition);
});

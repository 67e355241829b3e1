import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrphansReport } from '../../src/output/documents/orphans.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({
    controllers: ['deployment-controller', 'replicaset-controller'],
  });
});
afterAll(() => plane?.stop());

const [first, second, unnamed] = [
  'settings-5h2m8k9b4t',
  'settings-7c6d2f8g9h',
  'settings-k8t2m4b6c9',
] as const;

/** The generations that are listed, and what is said of them. */
async function told(): Promise<readonly string[]> {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { stdout, stderr } = await gc('orphans -n shop --generations -o json', { env });
  const { items } = JSON.parse(stdout || stderr) as OrphansReport;
  return items.map(({ object, owners, gc: { because } }) => `${object.name} ${owners}: ${because}`);
}

test('of the generations of kustomize, those are listed that the history names, or nothing', async () => {
  await plane.make('Namespace shop');
  for (const name of [first, second, unnamed]) await plane.make(`ConfigMap shop/${name}`);
  const labels = { app: 'web' };
  const deployments = '/apis/apps/v1/namespaces/shop/deployments';
  const template = (name: string) => ({
    metadata: { labels },
    spec: { containers: [{ name: 'a', image: 'a', envFrom: [{ configMapRef: { name } }] }] },
  });
  await plane.make('Deployment shop/web', {
    spec: { replicas: 0, selector: { matchLabels: labels }, template: template(first) },
  });
  const sets = async () =>
    (
      await plane.get<{ items: { metadata: { name: string } }[] }>(
        deployments.replace('deployments', 'replicasets'),
      )
    ).items;
  const [old] = await eventually('the first ReplicaSet', async () => {
    const found = await sets();
    return found.length === 1 ? found : undefined;
  });
  await plane.patch(`${deployments}/web`, { spec: { template: template(second) } });
  await eventually('the second ReplicaSet', async () => (await sets()).length === 2);
  const made = 'kustomize made it as one of 3 generations of settings; Deployment web names';
  expect(await told()).toEqual([
    `${first} old-generation: ${made} ${second}; only ReplicaSet ${old?.metadata.name} names this one, for a rollback`,
    expect.stringMatching(
      `^${unnamed} old-generation: ${made} ${second}; nothing in its namespace`,
    ),
  ]);
});

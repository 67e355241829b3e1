import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { root } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { workload } from '../support/workload.ts';

/** The plugin for Headlamp, in a stand-in for what Headlamp gives to plugins, on a real API server. */
const plane = sharedControlPlane();
const namespace = 'headlamp';
const folder = temporaryFolder();

interface Element {
  readonly type: unknown;
  readonly props: { readonly onClick?: () => Promise<void> } | null;
  readonly children: readonly unknown[];
}

type Section = (props: { readonly resource: { readonly jsonData: KubeObject } }) => Element;

/** Loads the built plugin; what it asks is asked as that user. */
function loadPlugin(kubeconfig: string) {
  const sections: Section[] = [];
  let lines: unknown = [];
  const pluginLib = {
    React: {
      createElement: (type: unknown, props: object, ...children: unknown[]) => ({
        type,
        props,
        children,
      }),
      useState: () => [lines, (next: unknown) => (lines = next)],
    },
    ApiProxy: {
      request: async (path: string) => {
        const { code, stdout, stderr } = await plane.kubectl(['get', '--raw', path], {
          kubeconfig,
        });
        if (code !== 0) throw new Error(stderr);
        return JSON.parse(stdout);
      },
    },
    CommonComponents: { SectionBox: 'section' },
    registerDetailsViewSection: (section: Section) => sections.push(section),
  };
  runInNewContext(readFileSync(join(folder, 'main.js'), 'utf8'), { pluginLib });
  const [section] = sections;
  if (!section) throw new Error('the plugin registers nothing');
  /** Presses a button on the page of an object; answers what is shown then. */
  return async (text: string, jsonData: KubeObject) => {
    const drawn = section({ resource: { jsonData } });
    const buttons = drawn.children as readonly Element[];
    await buttons.find(({ children }) => children?.includes(text))?.props?.onClick?.();
    return [lines].flat().join('\n');
  };
}

test('the plugin shows what is deleted with an object and why it still exists, with the permissions of its viewer', async () => {
  execFileSync(process.execPath, [join(root, 'examples/headlamp/build.mjs'), folder]);
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`Deployment ${namespace}/web`, workload('web'));
  await eventually('a pod', async () => (await plane.names(`Pod ${namespace}/`)).length === 1);
  const subjects = [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' };
  await plane.make(`RoleBinding ${namespace}/viewer`, { subjects, roleRef });
  const press = loadPlugin(plane.kubeconfigFor({ user: 'viewer' }));
  const get = (kind: string, name: string) =>
    plane.get<KubeObject>(`/apis/apps/v1/namespaces/${namespace}/${kind}/${name}`);
  const web = await get('deployments', 'web');
  const held = { metadata: { finalizers: ['example.com/hold'] } };
  const deleted = await eventually('the binding', async () => {
    const shown = await press('What is deleted with it?', web);
    return shown.includes('1 Pod') && shown;
  });
  expect(deleted).toMatch(/3 or more objects .*1 Deployment, 1 Pod, 1 ReplicaSet/);
  expect(deleted).toContain('More may be deleted');
  await plane.patch(`Deployment ${namespace}/web`, held);
  await plane.remove(`Deployment ${namespace}/web`);
  const why = await press('Why is it still there?', await get('deployments', 'web'));
  expect(why).toContain('example.com/hold');
  await plane.patch(`Deployment ${namespace}/web`, { metadata: { finalizers: [] } });
});

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

interface Resource {
  readonly jsonData: KubeObject;
}

type Section = (props: { readonly resource: Resource }) => Element;
type Action = (props: { readonly item: Resource }) => Element | null;

/** Loads the built plugin; what it asks is asked as that user. */
function loadPlugin(kubeconfig: string) {
  const sections: Section[] = [];
  const actions: Action[] = [];
  const location = { href: '' };
  let shown: { readonly lines?: readonly string[] } | undefined;
  const pluginLib = {
    React: {
      createElement: (type: unknown, props: object, ...children: unknown[]) => ({
        type,
        props,
        children,
      }),
      useState: () => [shown, (next: typeof shown) => (shown = next)],
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
    CommonComponents: { SectionBox: 'section', Dialog: 'dialog' },
    registerDetailsViewSection: (section: Section) => sections.push(section),
    registerDetailsViewHeaderAction: (action: Action) => actions.push(action),
  };
  runInNewContext(readFileSync(join(folder, 'main.js'), 'utf8'), { pluginLib, location });
  const [section] = sections;
  const [action] = actions;
  if (!section || !action) throw new Error('the plugin registers nothing');
  /** Presses a button on the page of an object; answers what is shown then. */
  const press = async (text: string, jsonData: KubeObject) => {
    const drawn = section({ resource: { jsonData } });
    const buttons = drawn.children as readonly Element[];
    await buttons.find(({ children }) => children?.includes(text))?.props?.onClick?.();
    return shown?.lines?.join('\n') ?? '';
  };
  /** What the header of a page at that address has of the plugin. */
  const header = (href: string, jsonData: KubeObject) => {
    location.href = href;
    return JSON.stringify(action({ item: { jsonData } }));
  };
  return { press, header };
}

test('the plugin shows what is deleted with an object and why it still exists, with the permissions of its viewer', async () => {
  execFileSync(process.execPath, [join(root, 'examples/headlamp/build.mjs'), folder]);
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`Deployment ${namespace}/web`, workload('web'));
  await eventually('a pod', async () => (await plane.names(`Pod ${namespace}/`)).length === 1);
  const subjects = [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' };
  await plane.make(`RoleBinding ${namespace}/viewer`, { subjects, roleRef });
  // Without it, Headlamp says that the plugin is incompatible, and does not load it.
  const { devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(devDependencies).toHaveProperty('@kinvolk/headlamp-plugin');
  const { press, header } = loadPlugin(plane.kubeconfigFor({ user: 'viewer' }));
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
  // Headlamp shows sections of plugins on all pages but those of custom resources.
  expect(header('/c/main/deployments/headlamp/web', web)).toBe('null');
  const custom = header('/c/main/customresources/webs.example.com/headlamp/web', web);
  expect(custom).toMatch(/dialog.*What is deleted with it\?.*Why is it still there\?/);
  // The viewer may get the namespace and not list namespaces.
  const home = await plane.get<KubeObject>(`/api/v1/namespaces/${namespace}`);
  expect(await press('What is deleted with it?', home)).toContain('1 Deployment, 1 Pod');
  await plane.patch(`Deployment ${namespace}/web`, held);
  await plane.remove(`Deployment ${namespace}/web`);
  const why = await press('Why is it still there?', await get('deployments', 'web'));
  expect(why).toContain('example.com/hold');
  await plane.patch(`Deployment ${namespace}/web`, { metadata: { finalizers: [] } });
});

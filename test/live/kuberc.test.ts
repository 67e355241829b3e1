import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { bareEnvironment, bin, gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** One kuberc, the real kubectl, and `kubectl delete` beside `kubectl gc delete`. */
const plane = sharedControlPlane();
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-kuberc-'));
const namespace = `kuberc-${process.pid}`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);

function kubectl(kuberc: string, line: string, input = '') {
  const env = { ...bareEnvironment, PATH: path, KUBERC: kuberc };
  return plane.kubectl(line.split(' '), { input, env });
}

beforeAll(async () => {
  symlinkSync(bin, join(folder, 'kubectl-gc'));
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
});
afterAll(async () => {
  await plane.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
  plane.disconnect();
  rmSync(folder, { recursive: true });
});

const betas = `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
- command: delete
  options:
  - {name: interactive, default: "true"}
aliases:
- name: rehearse
  command: delete
  options:
  - {name: dry-run, default: server}
  - {name: output, default: name}
  prependArgs: [configmap]
  appendArgs: [-n, ${namespace}]
`;
const alphas = betas
  .replace('v1beta1', 'v1alpha1')
  .replace('defaults:', 'overrides:')
  .replaceAll('options:', 'flags:');

async function withConfigMap<T>(use: () => Promise<T>): Promise<T> {
  await plane.create<KubeObject>(configMaps, { metadata: { name: 'held' } });
  try {
    return await use();
  } finally {
    await plane.request(`${configMaps}/held`, { method: 'DELETE' });
  }
}

const isThere = async () => (await plane.request(`${configMaps}/held`)).status === 200;

describe.each([
  ['v1beta1', betas],
  ['v1alpha1', alphas],
])('a kuberc of %s', (version, text) => {
  const kuberc = join(folder, version);
  writeFileSync(kuberc, text);

  test.each(['delete', 'gc delete'])(
    'has %s ask, and keep what is not confirmed',
    async (command) => {
      await withConfigMap(async () => {
        const line = `${command} configmap held -n ${namespace}`;
        const refused = await kubectl(kuberc, line, 'n\n');
        expect(refused.stdout + refused.stderr).toContain('Do you want to continue?');
        expect(await isThere()).toBe(true);
        expect((await kubectl(kuberc, `${line} --interactive=false`)).code).toBe(0);
        expect(await isThere()).toBe(false);
      });
    },
  );

  test('has its alias for delete do the same in both', async () => {
    await withConfigMap(async () => {
      const own = await kubectl(kuberc, 'rehearse held');
      expect([own.code, own.stdout]).toEqual([0, 'configmap/held\n']);
      const ours = await kubectl(kuberc, 'gc rehearse held');
      expect([ours.code, ours.stdout]).toEqual([0, 'configmap/held\n']);
      expect(await isThere()).toBe(true);
    });
  });
});

describe('a kuberc that is wrong', () => {
  const files = {
    missing: undefined,
    yaml: 'a: [',
    unquoted: betas.replace('"true"', 'true'),
    value: betas.replace('"true"', 'maybe'),
    flag: betas.replace('interactive', 'nothing'),
    dashes: betas.replace('interactive', '--interactive'),
    alias: betas.replace('rehearse', 'rehearse2'),
  };

  test.each(Object.entries(files))('is refused by both: %s', async (name, text) => {
    const kuberc = join(folder, name);
    if (text !== undefined) writeFileSync(kuberc, text);
    const own = await kubectl(kuberc, `delete configmap none -n ${namespace} --ignore-not-found`);
    expect(own.stderr).toContain('error occurred while applying preferences');
    const env = { ...bareEnvironment, KUBERC: kuberc, KUBECONFIG: plane.kubeconfigPath };
    const ours = await gc(`delete configmap none -n ${namespace} --ignore-not-found`, { env });
    expect(ours.stderr).toMatch(/^error: the kuberc .* cannot be (read|applied): /);
    expect([own.code, ours.code]).toEqual([1, expect.toBeOneOf([2, 3])]);
  });
});

test('kubectl warns of defaults for gc whenever a command of its own runs, and gc takes them', async () => {
  const kuberc = join(folder, 'own');
  writeFileSync(
    kuberc,
    `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults: [{command: gc version, options: [{name: output, default: json}]}]
`,
  );
  const own = await kubectl(kuberc, 'version --client');
  expect(own.stderr).toContain('Warning: command "gc version" not found to set kuberc override');
  const ours = await kubectl(kuberc, 'gc version');
  expect(ours.stderr).toBe('');
  expect(JSON.parse(ours.stdout)).toMatchObject({ kind: expect.any(String) });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubeconfig } from '../support/cluster.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const plane = sharedControlPlane();
const namespace = 'printed-commands';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const folder = temporaryFolder();
const path = join(folder, 'clusters.json');
const secret = plane.adminToken;

/** The context that counts without --context leads to no server. */
function config() {
  const own = JSON.parse(kubeconfig(plane, { token: secret }));
  const [{ cluster }] = own.clusters;
  return {
    ...own,
    clusters: [
      { name: 'live', cluster },
      { name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } },
    ],
    users: [{ name: 'none', user: {} }],
    contexts: ['live', 'nowhere'].map((name) => ({
      name,
      context: { cluster: name, user: 'none' },
    })),
    'current-context': 'nowhere',
  };
}

beforeAll(async () => {
  writeFileSync(path, JSON.stringify(config()));
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.create(configMaps, {
    metadata: { name: 'held', finalizers: ['example.com/wait'] },
  });
  await plane.request(`${configMaps}/held`, { method: 'DELETE' });
});
afterAll(async () => {
  await plane.patch(`${configMaps}/held`, { metadata: { finalizers: null } });
  await plane.request(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
});

const where = `--kubeconfig ${path} --context live`;

test.each([
  ['What to do', `why -n ${namespace} --token ${secret} ${where}`],
  [
    'Being deleted already. What holds it',
    `delete cm/held -n ${namespace} --preview --token ${secret} ${where}`,
  ],
])('the command after "%s:" asks the same cluster', async (what, line) => {
  const { stderr } = await gc(line);
  const [, command = ''] = new RegExp(`^${what}: kubectl gc (.*)$`, 'm').exec(stderr) ?? [];
  expect(command).toBe(`why configmap/held -n ${namespace} ${where} --token=TOKEN`);
  const asked = await gc(command.replace('TOKEN', secret));
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining('example.com/wait')]);
  expect(asked.stdout + asked.stderr + stderr).not.toContain(secret);
  const elsewhere = await gc(command.replace('--context live', '').replace('TOKEN', secret));
  expect(elsewhere.code).toBe(3);
});

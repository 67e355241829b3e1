import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeletionChain } from '../../src/questions/deleted/document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The policy that docs/audit-log.md gives, loaded by a real API server. */
const [policy = '', bodiesOfWorkloads = ''] = [
  ...readFileSync('docs/audit-log.md', 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g),
].map(([, block]) => block);
const folder = temporaryFolder();

async function planeWith(name: string, text: string) {
  const path = join(folder, `${name}.log`);
  writeFileSync(join(folder, `${name}.yaml`), text);
  const plane = await ownControlPlane({
    controllers: 'none',
    apiServerArgs: [
      `--audit-policy-file=${join(folder, `${name}.yaml`)}`,
      `--audit-log-path=${path}`,
    ],
  });
  const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return { plane, path, logged: () => lines().map((line) => JSON.parse(line)) };
}

const { plane, path: auditLog, logged } = await planeWith('policy', policy);

test('the documented policy has 12 lines at most, logs deletions, and neither reads nor Leases', async () => {
  expect(policy.trim().split('\n').length).toBeLessThanOrEqual(12);
  await plane.make('ConfigMap default/settings');
  await plane.make('Lease default/leader');
  await plane.get('ConfigMap default/settings');
  await plane.remove('Lease default/leader');
  await plane.remove('ConfigMap default/settings');
  const isDeletion = ({ verb, objectRef }: { verb: string; objectRef?: { name?: string } }) =>
    verb === 'delete' && objectRef?.name === 'settings';
  const lines = await eventually('the deletion in the log', async () => {
    const all = logged();
    return all.some(isDeletion) ? all : undefined;
  });
  const verbs = new Set(lines.map(({ verb }) => verb));
  for (const verb of ['get', 'list', 'watch']) expect(verbs).not.toContain(verb);
  const kinds = new Set(lines.map(({ objectRef }) => objectRef?.resource));
  for (const kind of ['leases', 'events']) expect(kinds).not.toContain(kind);
  expect(new Set(lines.map(({ stage }) => stage))).toEqual(new Set(['ResponseComplete']));

  const { json } = askingOf(plane);
  const { removal } = await json<DeletionChain>(
    `deleted configmap/settings -n default --audit-log ${auditLog}`,
  );
  expect(removal.links).toMatchObject([{ cause: 'request', certainty: 'seen' }]);
});

test('with the documented rules for creations, the log has the name and the owner of a Pod that is created without a name', async () => {
  const last = policy.lastIndexOf('  - level: Metadata');
  const larger = await planeWith('bodies', policy.slice(0, last) + bodiesOfWorkloads);
  await larger.plane.make('ConfigMap default/owner');
  const owner = await larger.plane.get<{ metadata: { uid: string } }>('ConfigMap default/owner');
  const { uid } = owner.metadata;
  const { metadata } = await larger.plane.create<{ metadata: { name: string } }>(
    '/api/v1/namespaces/default/pods',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: 'web-',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
      },
      spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] },
    },
  );
  const [creation] = await eventually('the creations in the log', async () => {
    const all = larger.logged().filter(({ verb }) => verb === 'create');
    const ofPod = all.filter(({ objectRef }) => objectRef?.resource === 'pods');
    return ofPod.length > 0 && ofPod;
  });
  expect(creation).toMatchObject({
    level: 'RequestResponse',
    responseObject: { metadata: { name: metadata.name, ownerReferences: [{ uid }] } },
  });
  const others = larger.logged().filter(({ objectRef }) => objectRef?.resource === 'configmaps');
  expect(new Set(others.map(({ level }) => level))).toEqual(new Set(['Metadata']));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Restoration } from '../../src/restore/plan/restoration.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { volumeSpec } from '../support/volumes.ts';

/** What the release before whole backups (a8bb9613) saved of a namespace and a definition before it deleted them. */
const directory = 'test/fixtures/backups/without-status';
const { cluster, objects } = JSON.parse(readFileSync(join(directory, 'backup.json'), 'utf8'));
const savedUid = (kind: string, name: string): string =>
  objects.find((one: Record<string, string>) => one.kind === kind && one.name === name).uid;

let plane: ControlPlane;

beforeAll(async () => {
  const metadata = { name: 'kube-system', uid: cluster.uid };
  plane = await startControlPlane({
    controllers: ['*'],
    controllerArgs: ['--pvclaimbinder-sync-period=2s'],
    // The cluster that was saved, by its uid.
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata }],
  });
  const uid = savedUid('PersistentVolumeClaim', 'data-db-0');
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'archive', name: 'data-db-0', uid };
  const spec = volumeSpec('archive-db', { claimRef });
  await plane.make('PersistentVolume archive-db', { spec });
  await eventually('the released volume', async () => {
    const { status } = await plane.get('PersistentVolume archive-db');
    return Object(status).phase === 'Released';
  });
});
afterAll(() => plane.stop());

async function restored(flags: string) {
  const line = `restore ${directory} ${flags} -o json --kubeconfig ${plane.kubeconfigPath}`;
  const { code, stdout, stderr } = await gcHere(line);
  const all = (JSON.parse(stdout) as Restoration).objects;
  const ends = all.map(({ kind, name, action, outcome = action }) => `${outcome} ${kind} ${name}`);
  return { code, stderr, ends: ends.filter((one) => !one.startsWith('skip ')) };
}
/** Its controller may be faster: it publishes its own certificate, or numbers the newest ReplicaSet anew. */
const isMadeByOthers = (end: string) =>
  end === 'exists ConfigMap kube-root-ca.crt' || end.endsWith(' ReplicaSet web-6f9bfc5c4b');
/** What its own component makes is not compared. */
const isLeftOut = (end: string) => end.startsWith('exists ');
const at = (text: string) => {
  const [kind, name] = text.split(' ');
  return plane.get(`${kind === 'Crate' ? 'archive.example.com/v1 ' : ''}${kind} archive/${name}`);
};
const owners = async (text: string) =>
  ((await at(text)).metadata.ownerReferences ?? []) as { name: string; uid: string }[];
const uidOf = async (text: string) => (await at(text)).metadata.uid;

test('a backup of a release that saved no status is restored to its cluster', async () => {
  const { code, stderr, ends } = await restored('--yes');
  expect(code, stderr).toBe(0);
  const done = ends.filter((one) => !/^(created|patched) /.test(one) && !isMadeByOthers(one));
  expect([done, ends.length]).toEqual([[], 22]);

  expect((await plane.get('Namespace archive')).metadata.labels).toMatchObject({ team: 'archive' });
  expect(await at('ConfigMap settings')).toMatchObject({
    data: { 'a.yaml': 'on: yes\n', empty: '' },
  });
  expect(await at('Secret opaque')).toMatchObject({ data: { key: 'Zml4dHVyZQ==' } });
  expect(await at('ServiceAccount default')).toMatchObject({
    imagePullSecrets: [{ name: 'opaque' }],
  });
  expect(await at('Crate top')).toMatchObject({
    spec: { books: 0, open: false, note: '' },
  });
  const crate = await uidOf('Crate top');
  expect(crate).not.toBe(savedUid('Crate', 'top'));
  expect(await owners('ConfigMap of-crate')).toMatchObject([
    { uid: crate, controller: true, blockOwnerDeletion: true },
  ]);
  const [a, b] = [await owners('ConfigMap circle-a'), await owners('ConfigMap circle-b')];
  expect(a.map(({ uid }) => uid)).toEqual([await uidOf('ConfigMap circle-b')]);
  expect(b.map(({ uid }) => uid)).toEqual([await uidOf('ConfigMap circle-a')]);

  const claim = await at('PersistentVolumeClaim data-db-0');
  expect(claim).toMatchObject({ spec: { volumeName: 'archive-db' }, status: { phase: 'Bound' } });
  const sets = (await plane.list('ReplicaSet archive/')).filter(
    isOf(await uidOf('Deployment web')),
  );
  expect(sets.map(revisionOf).sort()).toEqual(['1', '2']);
  const live = sets.find(({ spec }) => Object(spec).replicas === 1);
  expect(JSON.stringify(live?.spec)).toContain('example.com/web:2');
});

const isOf = (uid: unknown) => (object: KubeObject) =>
  (object.metadata.ownerReferences as { uid: string }[]).some((owner) => owner.uid === uid);
const revisionOf = ({ metadata }: KubeObject) =>
  Object(metadata.annotations)['deployment.kubernetes.io/revision'];

test('what it brought back is the same as in it, and a second restoration changes nothing', async () => {
  const again = await restored('--yes');
  expect([again.code, again.ends.filter((one) => !one.startsWith('exists '))]).toEqual([0, []]);
  const verified = await restored('--verify');
  const unlike = verified.ends.filter((one) => !one.startsWith('same ') && !isLeftOut(one));
  expect(unlike.filter((one) => !isMadeByOthers(one))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { pendingOwners } from '../../../src/restore/plan/restoration.ts';
import { patience } from '../../cluster/fake-client.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, owner, saved } from '../saved.ts';
import { run } from './run-restore.ts';

describe('claims', () => {
  const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';
  const path = '/api/v1/persistentvolumes/disk';
  const spec = { volumeName: 'disk' };
  const set = 'apps/v1 StatefulSet web';
  const claim = saved(kube('v1 PersistentVolumeClaim data', {}, { spec }));
  const owned = saved(kube('v1 PersistentVolumeClaim data', ownedBy(set), { spec }));
  const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-data' };
  const volume = kube('v1 PersistentVolume disk', {}, { spec: { claimRef } });
  /** Plays the binder. */
  const apiWith = (phase: string | undefined, ...objects: [string, KubeObject][]) => {
    const api = fakeApi([path, volume], ...objects);
    api.after = () => {
      const live = api.stored.get(`${claims}/data`);
      if (live && phase) api.stored.set(`${claims}/data`, { ...live, status: { phase } });
    };
    return api;
  };

  test('a volume loses its claimRef to the deleted claim before the new one is created', async () => {
    const api = apiWith('Bound');
    expect(await run([claim], api, { there: [volume] })).toEqual(['data: created']);
    expect(api.writes.map((write) => write.split('?')[0])).toEqual([
      `PATCH ${path}`,
      `POST ${claims}`,
    ]);
    expect(api.stored.get(path)?.spec).toEqual({ claimRef: { namespace: 'shop', name: 'data' } });
  });

  test('a volume that has another claim of that name meanwhile is left to it', async () => {
    const api = apiWith('Bound');
    const other = { spec: { claimRef: { ...claimRef, uid: 'another' } } };
    api.stored.set(path, kube('v1 PersistentVolume disk', {}, other));
    expect((await run([claim], api, { there: [volume] })).join('\n')).toMatchInlineSnapshot(
      `"data: refused the volume disk is used by another claim now"`,
    );
    expect(api.writes).toEqual([]);
  });

  test('a claim that is not bound in the end is named, with its phase', async () => {
    const ends = ['Lost', 'Pending', undefined].map((phase) =>
      run([claim], apiWith(phase), { there: [volume] }),
    );
    expect((await Promise.all(ends)).flat().join('\n')).toMatchInlineSnapshot(`
      "data: faulty it is not bound to its volume disk: it is Lost
      data: faulty it is not bound to its volume disk: it is Pending
      data: faulty it is not bound to its volume disk: it is without a phase"
    `);
  });

  test.each([
    ['needs no wait if bound immediately', ['Bound'], []],
    // The first look is at its owners.
    ['is awaited until Bound', ['Pending', 'Pending', 'Pending', 'Bound'], [500, 500]],
  ])('a claim %s', async (_, phases, waits) => {
    const retry = patience();
    const api = apiWith(undefined);
    api.before = ({ method = 'GET', path: asked }) => {
      const at = `${claims}/data`;
      const live = api.stored.get(at);
      const isLook = method === 'GET' && asked.startsWith(at) && live;
      const phase = isLook && phases.shift();
      if (phase) api.stored.set(at, { ...live, status: { phase } });
      return undefined;
    };
    expect(await run([claim], api, { there: [volume], retry })).toEqual(['data: created']);
    expect(retry.waits).toEqual(waits);
  });

  test.each([
    ['looked at', 'GET', 0],
    ['released', 'PATCH', 1],
  ])('a claim is not created if its volume cannot be %s', async (_, refused, writes) => {
    const api = apiWith('Bound');
    api.before = ({ method = 'GET', path: asked }) =>
      method === refused && asked.startsWith(path)
        ? refusal(403, 'Forbidden', 'persistentvolumes "disk" is forbidden')
        : undefined;
    const [result] = await run([claim], api, { there: [volume] });
    expect(result).toMatch(/^data: refused .*forbidden/);
    expect(api.writes).toHaveLength(writes);
  });

  test('a claim that an earlier run left unbound', async () => {
    const left = kube('v1 PersistentVolumeClaim data', { uid: 'new' }, { spec });
    const api = apiWith('Pending', [`${claims}/data`, left]);
    expect(await run([claim], api, { there: [volume, left] })).toEqual([
      expect.stringMatching(/^data: faulty .* Pending$/),
    ]);
    expect(api.writes).toEqual([]);
  });

  test('a claim is there before its owner, and belongs to it in the end', async () => {
    const api = apiWith('Bound');
    expect(await run([saved(kube(set)), owned], api, { there: [volume] })).toEqual([
      'data: created',
      'web: created',
    ]);
    expect(api.writes.map((write) => write.split('?')[0])).toEqual([
      `PATCH ${path}`,
      `POST ${claims}`,
      'POST /apis/apps/v1/namespaces/shop/statefulsets',
      `PATCH ${claims}/data`,
    ]);
    const { annotations, ownerReferences } = api.stored.get(`${claims}/data`)?.metadata ?? {};
    expect(annotations).toEqual({});
    expect(ownerReferences).toMatchObject([{ kind: 'StatefulSet', name: 'web', uid: 'new-web' }]);
  });

  test('a claim whose owner was refused waits for it', async () => {
    const api = apiWith('Bound');
    api.before = ({ method, body = '' }) =>
      method === 'POST' && body.includes('"kind":"StatefulSet"')
        ? refusal(403, 'Forbidden', 'exceeded quota')
        : undefined;
    expect(await run([saved(kube(set)), owned], api, { there: [volume] })).toEqual([
      expect.stringMatching(/^data: faulty .* StatefulSet web/),
      'web: refused exceeded quota',
    ]);
    const live = api.stored.get(`${claims}/data`);
    expect(live?.metadata.annotations).toEqual({ [pendingOwners]: 'StatefulSet/web' });
    api.before = () => undefined;
    const there = [volume, ...(live ? [live] : [])];
    expect(await run([saved(kube(set)), owned], api, { there })).toEqual([
      'web: created',
      'data: relinked',
    ]);
  });

  test('a claim that a controller has made meanwhile with another volume', async () => {
    const controller = { ...owner(set), controller: true };
    const made = kube(
      'v1 PersistentVolumeClaim data',
      { uid: 'made', ownerReferences: [controller] },
      { spec: { volumeName: 'empty' } },
    );
    const api = apiWith('Bound', [`${claims}/data`, made]);
    api.stored.set('/apis/apps/v1/namespaces/shop/statefulsets/web', kube(set));
    expect((await run([claim], api, { there: [volume] })).join('\n')).toMatchInlineSnapshot(
      `"data: faulty it is there, but with the volume empty, while the data is in its saved volume disk"`,
    );
  });
});

import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { fakeApi } from '../../perform/send/fake-api.ts';
import { servedTypes, widgets } from '../../support/builders.ts';
import { kube, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const part = 'v1 ConfigMap part';

describe('what is looked at in the end', () => {
  const place = '/api/v1/namespaces/shop/configmaps/part';

  test('a reference that leads nowhere by then', async () => {
    const api = fakeApi();
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-gone' };
    api.after = ({ method }) => {
      const live = api.stored.get(place);
      if (method !== 'POST' || !live) return;
      const metadata = { ...live.metadata, ownerReferences: [gone] };
      api.stored.set(place, { ...live, metadata });
    };
    expect((await run([saved(kube(part))], api)).join('\n')).toMatchInlineSnapshot(
      `"part: faulty the garbage collector will delete it (GC-22.13): no ConfigMap gone in namespace shop"`,
    );
  });

  test('what was there all along, and is left as it is', async () => {
    const api = fakeApi();
    const stale = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-before' };
    const there = kube(
      part,
      { uid: 'uid-now', ownerReferences: [stale] },
      { data: { of: 'another' } },
    );
    api.stored.set(place, there);
    expect(await run([saved(kube(part))], api, { there: [there] })).toEqual([
      expect.stringMatching(/^part: faulty .*\(GC-22\.13\)/),
    ]);
    expect(api.stored.get(place)).toEqual(there);
  });

  test.each([
    ['gone', undefined, 'it was deleted again by another client'],
    ['going', { deletionTimestamp: '2026-01-31T12:00:00Z' }, 'it is being deleted again'],
  ])('an object that is %s again', async (_, metadata, message) => {
    const api = fakeApi();
    api.after = ({ method }) => {
      if (method !== 'POST') return;
      if (metadata) api.stored.set(place, kube(part, metadata));
      else api.stored.delete(place);
    };
    expect(await run([saved(kube(part))], api)).toEqual([`part: faulty ${message}`]);
  });

  test('a version of the owner that is served by then', async () => {
    const beta = { ...widgets, version: 'v1beta1' };
    const types = new ResourceTypes([...servedTypes.all, beta], servedTypes);
    const foreign = { apiVersion: 'example.com/v1beta1', kind: 'Widget', name: 'w', uid: 'uid-w' };
    const api = fakeApi();
    // Somebody puts the old reference on while the restoration runs.
    api.after = ({ method, body = '' }) => {
      const live = api.stored.get(place);
      if (method !== 'POST' || !live || !body.includes('"kind":"Widget"')) return;
      const metadata = { ...live.metadata, ownerReferences: [foreign] };
      api.stored.set(place, { ...live, metadata });
    };
    const objects = [saved(kube('example.com/v1 Widget w')), saved(kube(part))];
    expect(await run(objects, api, { discover: async () => types })).toEqual([
      'part: created',
      'w: created',
    ]);
    expect(api.stored.get(place)?.metadata.ownerReferences).toEqual([{ ...foreign, uid: 'new-w' }]);
  });

  test('a new kind that discovery shows a moment later', async () => {
    const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
    let asked = 0;
    const discover = async () => (++asked < 3 ? bare : servedTypes);
    const objects = [saved(kube('example.com/v1 Widget w'))];
    expect(await run(objects, fakeApi(), { discover })).toEqual(['w: created']);
    expect(asked).toBe(3);
  });
});

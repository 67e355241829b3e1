import { expect, test } from 'vitest';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const widgets = '/apis/example.com/v1/namespaces/shop/widgets';
const status = { balance: 7 };

/** An API server that drops a status from a creation, as that of a kind with a status subresource does. */
function dropping(meanwhile?: object) {
  const api = fakeApi();
  api.after = ({ method, path }) => {
    const stored = api.stored.get(`${widgets}/w`);
    if (method !== 'POST' || !path.startsWith(widgets) || !stored) return;
    delete (stored as { status?: unknown }).status;
    if (meanwhile) Object.assign(stored, { status: meanwhile });
  };
  return api;
}

const restored = async (api: ReturnType<typeof fakeApi>, finalizers: readonly string[] = []) => {
  const widget = saved(kube('example.com/v1 Widget w', { finalizers }, { status }));
  const ended = await run([widget], api);
  return [ended, api.writes.filter((one) => one.startsWith('PATCH')).length];
};

test('a custom resource gets its status where the server dropped it', async () => {
  const [ended, patches] = await restored(dropping());
  expect([ended, patches]).toEqual([['w: created'], 1]);
});

test('a status that may not be written is named, and the object is there', async () => {
  const api = dropping();
  api.before = ({ method }) =>
    method === 'PATCH' ? refusal(403, 'Forbidden', 'patch is forbidden') : undefined;
  const [ended] = await restored(api);
  expect(ended).toEqual([expect.stringMatching(/^w: created .*patch is forbidden$/)]);
});

test('a custom resource without a status subresource has its status from its creation', async () => {
  expect(await restored(fakeApi())).toEqual([['w: created'], 0]);
});

test('a status that the controller has written meanwhile stays', async () => {
  expect(await restored(dropping({ balance: 8 }))).toEqual([['w: created'], 0]);
});

test('a status of cleaned-up resources is not restored', async () => {
  expect(await restored(dropping(), ['example.com/disk'])).toEqual([['w: created'], 0]);
});

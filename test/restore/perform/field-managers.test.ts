import { expect, test } from 'vitest';
import { fakeApi } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, plan, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const at = '/api/v1/namespaces/shop/configmaps';
const updated = (manager: string, fieldsV1: object = {}) => ({
  manager,
  operation: 'Update',
  fieldsV1,
});
const managersOf = (api: ReturnType<typeof fakeApi>) =>
  api.stored.get(`${at}/part`)?.metadata.managedFields;

test('an object of one manager is created by it, which leaves nothing to be patched', async () => {
  const part = saved(kube('v1 ConfigMap part'), { fieldManagers: [updated('kubectl create')] });
  const api = fakeApi();
  api.after = ({ method }) => {
    const stored = api.stored.get(`${at}/part`);
    if (method === 'POST')
      Object.assign(stored?.metadata ?? {}, { managedFields: part.fieldManagers });
  };
  expect(await run([part], api)).toEqual(['part: created']);
  expect(api.writes).toEqual([`POST ${at}?fieldManager=kubectl%20create`]);
});

test('the fields of an owner reference are managed under the uid that the owner has now', async () => {
  const key = (uid: string) => ({ [`k:{"uid":"${uid}"}`]: {} });
  const fields = (...uids: string[]) => ({
    'f:metadata': { 'f:ownerReferences': Object.assign({ '.': {} }, ...uids.map(key)) },
  });
  const part = saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app')), {
    fieldManagers: [updated('a', fields('uid-app', 'uid-gone')), updated('b')],
  });
  const api = fakeApi();
  const ended = await run([saved(kube('v1 ConfigMap app')), part], api);
  expect(ended).toEqual(['app: created', 'part: created']);
  expect(managersOf(api)).toEqual([updated('a', fields('new-app')), updated('b')]);
});

test('what an earlier run has created and not completed gets its field managers', async () => {
  const fieldManagers = [updated('a'), updated('b')];
  const part = saved(kube('v1 ConfigMap part'), { fieldManagers });
  const there = (manager: string) =>
    kube('v1 ConfigMap part', { uid: 'new', managedFields: [updated(manager)] });
  const api = fakeApi([`${at}/part`, there('kubectl-gc')]);
  expect(await run([part], api, { there: [there('kubectl-gc')] })).toEqual(['part: relinked']);
  expect(managersOf(api)).toEqual(fieldManagers);
  const alsoOurs = saved(kube('v1 ConfigMap part'), {
    fieldManagers: [updated('a'), updated('kubectl-gc')],
  });
  expect(plan([alsoOurs], { there: [there('kubectl-gc')] }).map(({ action }) => action)).toEqual([
    'exists',
  ]);
  expect(plan([part], { there: [there('kubectl')] }).map(({ action }) => action)).toEqual([
    'exists',
  ]);
});

import { expect, test } from 'vitest';
import { GcError } from '../../../src/errors.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const configMaps = '/api/v1/namespaces/shop/configmaps';
const app = saved(kube('v1 ConfigMap app'));
const part = saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app')));
const forbidden = refusal(403, 'Forbidden', 'patch is forbidden');

test('an object that another client has made as it was gets its owner', async () => {
  const api = fakeApi();
  api.before = ({ method, body = '' }) => {
    if (method === 'POST' && body.includes('"name":"part"')) {
      api.stored.set(`${configMaps}/part`, kube('v1 ConfigMap part', { uid: 'theirs' }));
    }
    return undefined;
  };
  expect(await run([app, part], api)).toEqual([
    'app: created',
    'part: exists another client has created it in the meantime',
  ]);
  expect(api.stored.get(`${configMaps}/part`)?.metadata.ownerReferences).toMatchObject([
    { name: 'app', uid: 'new-app' },
  ]);
});

test('a name that is taken and free again is a refusal', async () => {
  const api = fakeApi();
  api.before = ({ method }) =>
    method === 'POST' ? refusal(409, 'AlreadyExists', 'it already exists') : undefined;
  expect(await run([app], api)).toEqual(['app: refused it already exists']);
});

test('in a circle, an object that may not be patched is told to be without its owner', async () => {
  const api = fakeApi();
  api.before = ({ method }) => (method === 'PATCH' ? forbidden : undefined);
  const circle = [saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap part'))), part];
  expect(await run(circle, api)).toEqual([
    'app: faulty it did not get its owners: patch is forbidden',
    'part: created',
  ]);
});

test('of what could not be looked at in the end, only what was created is in doubt', async () => {
  const api = fakeApi([`${configMaps}/app`, app.manifest ?? kube('v1 ConfigMap app')]);
  const discover = async () => {
    throw new GcError('connection refused', { code: 'unreachable' });
  };
  expect(await run([app, part], api, { there: [kube('v1 ConfigMap app')], discover })).toEqual([
    'part: faulty it could not be checked whether it stays: connection refused',
  ]);
});

test('a claim is not created where its volume cannot be released', async () => {
  const path = '/api/v1/persistentvolumes/disk';
  const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-data' };
  const volume = kube('v1 PersistentVolume disk', {}, { spec: { claimRef } });
  const spec = { volumeName: 'disk' };
  const api = fakeApi([path, volume]);
  api.before = ({ method }) => (method === 'PATCH' ? forbidden : undefined);
  const claim = saved(kube('v1 PersistentVolumeClaim data', {}, { spec }));
  expect(await run([claim], api, { there: [volume] })).toEqual([
    'data: refused patch is forbidden',
  ]);
  expect(api.writes.filter((write) => write.startsWith('POST'))).toEqual([]);
});

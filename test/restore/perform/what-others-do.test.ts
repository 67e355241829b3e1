import { expect, test } from 'vitest';
import { GcError } from '../../../src/errors.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, owner, saved } from '../saved.ts';
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

test('an object that a controller has made meanwhile', async () => {
  const web = kube('apps/v1 Deployment web');
  const controller = { ...owner('apps/v1 Deployment web'), controller: true };
  const sets = '/apis/apps/v1/namespaces/shop/replicasets';
  const at = '/apis/apps/v1/namespaces/shop/deployments/web';
  const objects = [
    saved(kube('apps/v1 ReplicaSet web-1', { ownerReferences: [controller] }, { spec: { a: 1 } })),
  ];
  for (const [a, message] of [
    [1, 'the controller of Deployment web has created it in the meantime'],
    [2, 'the controller of Deployment web has created it in the meantime, with other content'],
  ]) {
    const metadata = { uid: 'made', ownerReferences: [controller] };
    const made = kube('apps/v1 ReplicaSet web-1', metadata, { spec: { a } });
    const api = fakeApi([at, web], [`${sets}/web-1`, made]);
    expect(await run(objects, api, { there: [web] })).toEqual([`web-1: exists ${message}`]);
    expect(api.stored.get(`${sets}/web-1`)).toEqual(made);
  }
});

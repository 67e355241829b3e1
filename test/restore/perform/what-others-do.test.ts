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
    expect.stringMatching(/^part: exists /),
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

test('in a circle, an object that may not be patched is reported without its owner', async () => {
  const api = fakeApi();
  api.before = ({ method }) => (method === 'PATCH' ? forbidden : undefined);
  const circle = [saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap part'))), part];
  expect((await run(circle, api)).join('\n')).toMatchInlineSnapshot(`
    "app: faulty it did not get its owners: patch is forbidden
    part: created"
  `);
});

test('of what could not be looked at in the end, only what was created is in doubt', async () => {
  const api = fakeApi([`${configMaps}/app`, app.manifest ?? kube('v1 ConfigMap app')]);
  const discover = async () => {
    throw new GcError('connection refused', { code: 'unreachable' });
  };
  expect(
    (await run([app, part], api, { there: [kube('v1 ConfigMap app')], discover })).join('\n'),
  ).toMatchInlineSnapshot(
    `"part: faulty it could not be checked whether it stays: connection refused"`,
  );
});

test('an object that a controller has made meanwhile', async () => {
  const web = kube('apps/v1 Deployment web');
  const controller = { ...owner('apps/v1 Deployment web'), controller: true };
  const sets = '/apis/apps/v1/namespaces/shop/replicasets';
  const at = '/apis/apps/v1/namespaces/shop/deployments/web';
  const set = (revision: number, replicas: number, a: number, uid = 'uid-web-1') => {
    const annotations = { 'deployment.kubernetes.io/revision': `${revision}` };
    const metadata = { uid, ownerReferences: [controller], annotations };
    return kube('apps/v1 ReplicaSet web-1', metadata, { spec: { replicas, a } });
  };
  const message = 'the controller of Deployment web has created it in the meantime';
  for (const [made, end] of [
    [set(2, 3, 1, 'made'), `exists ${message}`],
    // The number of a new history, and not scaled up yet.
    [set(1, 0, 1, 'made'), `exists ${message}`],
    [set(2, 3, 2, 'made'), `faulty ${message}, with other content`],
  ] as const) {
    const api = fakeApi([at, web], [`${sets}/web-1`, made]);
    const objects = [saved(set(2, 3, 1))];
    expect(await run(objects, api, { there: [web] })).toEqual([`web-1: ${end}`]);
    expect(api.stored.get(`${sets}/web-1`)).toEqual(made);
  }
});

import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { decided, kube, ownedBy, plan, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const accounts = '/api/v1/namespaces/shop/serviceaccounts';
const account = 'v1 ServiceAccount default';
const imagePullSecrets = [{ name: 'registry' }];
const labels = { team: 'shop' };
const was = kube(account, { labels, finalizers: ['example.com/x'] }, { imagePullSecrets });
const given = kube(account, { uid: 'given', resourceVersion: '1' });
const other = { imagePullSecrets: [{ name: 'other' }] };

describe('the ServiceAccount that a controller has given the namespace', () => {
  /** It is made right before the first request to create it. */
  const apiWith = (made: KubeObject) => {
    const api = fakeApi();
    api.before = ({ method }) => {
      if (method === 'POST') api.stored.set(`${accounts}/default`, made);
      return undefined;
    };
    return api;
  };

  test('gets the saved content, guarded by its uid', async () => {
    const api = apiWith(given);
    const sent: unknown[] = [];
    api.after = ({ method, headers, body = '' }) => {
      if (method === 'PATCH') sent.push([headers?.['content-type'], JSON.parse(body)]);
    };
    expect(await run([saved(was)], api)).toEqual(['default: patched']);
    const metadata = { name: 'default', namespace: 'shop', labels, uid: 'given' };
    const applied = { apiVersion: 'v1', kind: 'ServiceAccount', metadata, imagePullSecrets };
    expect(sent).toEqual([['application/apply-patch+yaml', applied]]);
    expect(api.writes).toEqual([
      `POST ${accounts}?fieldManager=kubectl-gc`,
      `PATCH ${accounts}/default?fieldManager=kubectl-gc`,
    ]);
  });

  test('gets its field managers', async () => {
    const fieldManagers = [{ manager: 'pipeline', operation: 'Apply', fieldsV1: {} }];
    const api = apiWith(given);
    expect(await run([saved(was, { fieldManagers })], api)).toEqual(['default: patched']);
    expect(api.stored.get(`${accounts}/default`)?.metadata.managedFields).toEqual(fieldManagers);
  });

  test('is left as it is, where it has the same content', async () => {
    const api = apiWith(kube(account, { uid: 'given', labels }, { imagePullSecrets }));
    expect(await run([saved(was)], api)).toEqual([expect.stringMatching(/^default: exists /)]);
    expect(api.writes).toHaveLength(1);
  });

  test('keeps what another manager has set, and that is a refusal', async () => {
    const message = 'Apply failed with 1 conflict: conflict with "ops" using v1: .imagePullSecrets';
    const api = apiWith(kube(account, { uid: 'given' }, other));
    const create = api.before;
    api.before = (request) =>
      request.method === 'PATCH' ? refusal(409, 'Conflict', message) : create(request);
    expect(await run([saved(was)], api)).toEqual([`default: refused ${message}`]);
    expect(api.writes).toHaveLength(2);
  });

  test('is planned to be patched, where an earlier run has not come to it', async () => {
    expect(decided([saved(was)], { there: [given] })[0]).toBe('patch');
    const api = fakeApi([`${accounts}/default`, given]);
    expect(await run([saved(was)], api, { there: [given] })).toEqual(['default: patched']);
    expect(api.writes).toEqual([`PATCH ${accounts}/default?fieldManager=kubectl-gc`]);
  });

  test('is not patched, where another one has its name by then', async () => {
    const third = kube(account, { uid: 'third' });
    const api = fakeApi([`${accounts}/default`, third]);
    const [ended] = await run([saved(was)], api, { there: [given] });
    expect(ended).toMatch(/^default: refused /);
    expect(api.stored.get(`${accounts}/default`)).toEqual(third);
  });

  test.each([
    ['was never deleted', saved(kube(account, {}, { imagePullSecrets })), kube(account)],
    ['has the same content', saved(was), { ...was, metadata: { ...was.metadata, uid: 'given' } }],
    ['is of a manifest, which says nothing about before', saved(was, { uid: '' }), given],
    [
      'has another name',
      saved(kube('v1 ServiceAccount web', {}, { imagePullSecrets })),
      kube('v1 ServiceAccount web', { uid: 'given' }),
    ],
  ])('is left as it is, where it %s', (_, object, there) => {
    expect(decided([object], { there: [there] })[0]).toBe('exists');
  });
});

test('of the root certificate of a namespace, the data is left to its controller', async () => {
  const root = 'v1 ConfigMap kube-root-ca.crt';
  const path = '/api/v1/namespaces/shop/configmaps/kube-root-ca.crt';
  const made = kube(root, { uid: 'given' }, { data: { 'ca.crt': 'of now' } });
  const before = { data: { 'ca.crt': 'of before' } };
  expect(decided([saved(kube(root, {}, before))], { there: [made] })[0]).toBe('exists');
  const api = fakeApi([path, made]);
  const objects = [saved(kube(root, { labels }, before))];
  expect(await run(objects, api, { there: [made] })).toEqual(['kube-root-ca.crt: patched']);
  expect(api.stored.get(path)).toMatchObject({ metadata: { labels }, data: made.data });
});

test('a ServiceAccount is patched before the Pods that use it are created', () => {
  const planned = plan([saved(kube('v1 Pod web')), saved(was)], { there: [given] });
  expect(planned.map(({ saved: { name }, wave }) => `${wave} ${name}`)).toEqual([
    '0 default',
    '1 web',
  ]);
});

describe('a LimitRange that a program has made for the restored namespace', () => {
  const limits = 'v1 LimitRange limits';
  const at = '/api/v1/namespaces/shop/limitranges';
  const namespace = saved(kube('v1 Namespace shop'));
  const spec = { limits: [{ type: 'Pod', max: { cpu: '2' } }] };
  const theirs = kube(limits, { uid: 'theirs' }, { spec: { limits: [] } });
  const apiThat = (applies: boolean) => {
    const api = fakeApi();
    api.before = ({ method, path }) => {
      if (method === 'POST' && path.startsWith(at)) api.stored.set(`${at}/limits`, theirs);
      const isApply = method === 'PATCH' && !applies;
      return isApply ? refusal(409, 'Conflict', 'Apply failed with 1 conflict') : undefined;
    };
    return api;
  };
  const objects = [namespace, saved(kube(limits, {}, { spec }))];

  test('gets the saved content by server-side apply', async () => {
    const api = apiThat(true);
    expect((await run(objects, api, { absent: ['v1 Namespace shop'] })).at(-1)).toBe(
      'limits: patched',
    );
    expect(api.stored.get(`${at}/limits`)?.spec).toEqual(spec);
  });

  test('gets its owner back, too', async () => {
    const owned = saved(kube(limits, ownedBy('v1 ConfigMap app'), { spec }));
    const api = apiThat(true);
    const all = [namespace, saved(kube('v1 ConfigMap app')), owned];
    expect(await run(all, api, { absent: ['v1 Namespace shop'] })).toContain('limits: patched');
    expect(api.stored.get(`${at}/limits`)?.metadata.ownerReferences).toMatchObject([
      { name: 'app', uid: 'new-app' },
    ]);
  });

  test('is a fault where somebody manages other values', async () => {
    const ended = await run(objects, apiThat(false), { absent: ['v1 Namespace shop'] });
    expect(ended.at(-1)).toMatch(/^limits: faulty .*Apply failed/);
  });

  test('is a fault where the namespace was there', async () => {
    const api = apiThat(true);
    expect((await run(objects.slice(1), api)).at(-1)).toMatch(/^limits: faulty /);
    expect(api.writes.filter((one) => one.startsWith('PATCH'))).toEqual([]);
  });
});

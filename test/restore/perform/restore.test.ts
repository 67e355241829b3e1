import { describe, expect, test } from 'vitest';
import { GcError } from '../../../src/errors.ts';
import { pendingOwners } from '../../../src/restore/plan/restoration.ts';
import { type FakeApi, fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { kube, ownedBy, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const app = 'v1 ConfigMap app';
const part = 'v1 ConfigMap part';
const configMaps = '/api/v1/namespaces/shop/configmaps';
const create = `POST ${configMaps}?fieldManager=kubectl-gc`;

const chain = [
  saved(kube(app)),
  saved(kube(part, ownedBy(app))),
  saved(kube('v1 ConfigMap leaf', ownedBy(part))),
];
const metadataOf = (api: FakeApi, name: string) =>
  api.stored.get(`${configMaps}/${name}`)?.metadata;

describe('creating', () => {
  test('owners first, and their new uids in the references', async () => {
    const api = fakeApi();
    expect(await run(chain, api)).toEqual(['app: created', 'part: created', 'leaf: created']);
    expect(metadataOf(api, 'leaf')?.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'part', uid: 'new-part' },
    ]);
    expect(api.writes).toEqual([create, create, create]);
    expect(metadataOf(api, 'leaf')?.annotations).toBeUndefined();
  });

  test('a rehearsal stores nothing', async () => {
    const api = fakeApi();
    expect(await run(chain, api, { dryRun: true })).toHaveLength(3);
    expect([...api.stored]).toEqual([]);
    expect(api.writes[0]).toBe(`${create}&dryRun=All`);
  });

  test('a circle is closed at the end', async () => {
    const circle = [saved(kube(app, ownedBy(part))), saved(kube(part, ownedBy(app)))];
    const api = fakeApi();
    const pending: unknown[] = [];
    api.after = ({ method }) => {
      if (method === 'POST')
        pending.push(Object(metadataOf(api, 'app')?.annotations)[pendingOwners]);
    };
    expect(await run(circle, api)).toEqual(['app: created', 'part: created']);
    expect(pending).toEqual(['ConfigMap/part', 'ConfigMap/part']);
    expect(metadataOf(api, 'app')?.annotations).toEqual({});
    expect(metadataOf(api, 'app')?.ownerReferences).toMatchObject([
      { name: 'part', uid: 'new-part' },
    ]);
  });
});

test('a Deployment in a circle has no mark of a pending owner, which its ReplicaSet would keep', async () => {
  const web = 'apps/v1 Deployment web';
  const bodies: string[] = [];
  const api = fakeApi();
  api.after = ({ method, body = '' }) => {
    if (method === 'POST') bodies.push(body);
  };
  const circle = [saved(kube(web, ownedBy(app))), saved(kube(app, ownedBy(web)))];
  expect(await run(circle, api)).toHaveLength(2);
  const marked = bodies.filter((body) => body.includes(pendingOwners));
  expect(marked.map((body) => JSON.parse(body).kind)).not.toContain('Deployment');
});

test('a token is created after its account', async () => {
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const type = 'kubernetes.io/service-account-token';
  const token = saved(kube('v1 Secret token', { annotations }, { type }));
  const ended = await run([token, saved(kube('v1 ServiceAccount robot'))], fakeApi());
  expect(ended).toEqual(['robot: created', expect.stringMatching(/^token: created/)]);
});

describe('field managers', () => {
  const pipeline = { manager: 'pipeline', operation: 'Apply', fieldsV1: { 'f:data': {} } };
  const status = { manager: 'operator', operation: 'Update', subresource: 'status' };
  const managed = [saved(kube(app), { fieldManagers: [pipeline, status] })];
  const patches = (api: FakeApi) => api.writes.filter((write) => write.startsWith('PATCH'));
  const managersOf = (api: FakeApi) => metadataOf(api, 'app')?.managedFields;

  test('are restored after the object was created, except those of its status', async () => {
    const api = fakeApi();
    expect(await run(managed, api)).toEqual(['app: created']);
    expect(managersOf(api)).toEqual([pipeline]);
    expect(patches(api)).toEqual([`PATCH ${configMaps}/app?fieldManager=kubectl-gc`]);
  });

  test('are restored beside those that have written to the object in the meantime', async () => {
    const api = fakeApi();
    const webhook = { manager: 'webhook', operation: 'Update', fieldsV1: { 'f:metadata': {} } };
    let isWritten = false;
    api.before = ({ method }) => {
      const object = api.stored.get(`${configMaps}/app`);
      if (method !== 'PATCH' || isWritten || !object) return undefined;
      isWritten = true;
      const managedFields = [{ manager: 'kubectl-gc', operation: 'Update' }, webhook];
      const metadata = { ...object.metadata, resourceVersion: '8', managedFields };
      api.stored.set(`${configMaps}/app`, { ...object, metadata });
      return undefined;
    };
    expect(await run(managed, api)).toEqual(['app: created']);
    expect(managersOf(api)).toEqual([pipeline, webhook]);
    expect(patches(api)).toHaveLength(2);
  });

  test('are restored after a circle is closed', async () => {
    const api = fakeApi();
    const circle = [
      saved(kube(app, ownedBy(part)), { fieldManagers: [pipeline] }),
      saved(kube(part, ownedBy(app))),
    ];
    expect(await run(circle, api)).toEqual(['app: created', 'part: created']);
    expect(managersOf(api)).toEqual([pipeline]);
  });

  test('are not given to another object that has its name meanwhile', async () => {
    const api = fakeApi();
    const theirs = kube(app, { uid: 'theirs', resourceVersion: '9' });
    api.before = ({ method }) => {
      if (method === 'PATCH') api.stored.set(`${configMaps}/app`, theirs);
      return undefined;
    };
    expect((await run(managed, api)).join('\n')).toMatchInlineSnapshot(
      `"app: created its field managers were not restored: another object has its name now"`,
    );
    expect(api.stored.get(`${configMaps}/app`)).toEqual(theirs);
  });

  test('that cannot be restored are no reason not to restore the object', async () => {
    const api = fakeApi();
    api.before = ({ method }) =>
      method === 'PATCH' ? refusal(403, 'Forbidden', 'patch is forbidden') : undefined;
    expect((await run(managed, api)).join('\n')).toMatchInlineSnapshot(
      `"app: created its field managers were not restored: patch is forbidden"`,
    );
  });

  test('are not restored in a dry run', async () => {
    const api = fakeApi();
    expect(await run(managed, api, { dryRun: true })).toEqual(['app: created']);
    expect(patches(api)).toEqual([]);
  });
});

describe('a restoration with failures', () => {
  test('what the server refuses takes along only what needs it', async () => {
    const api = fakeApi();
    api.before = ({ body = '' }) =>
      body.includes('"name":"part"') && !body.includes('"name":"leaf"')
        ? refusal(403, 'Forbidden', 'exceeded quota')
        : undefined;
    const other = saved(kube('v1 ConfigMap other', ownedBy(app)));
    expect((await run([...chain, other], api)).join('\n')).toMatchInlineSnapshot(`
      "app: created
      other: created
      part: refused exceeded quota
      leaf: refused not created: ConfigMap part was not created, and the garbage collector would delete it without an owner"
    `);
  });

  test('another program was faster', async () => {
    const api = fakeApi([`${configMaps}/app`, kube(app, { uid: 'theirs' })]);
    expect((await run(chain.slice(0, 2), api)).join('\n')).toMatchInlineSnapshot(`
      "app: exists another client has created it in the meantime
      part: created"
    `);
    expect(metadataOf(api, 'part')?.ownerReferences).toMatchObject([{ uid: 'theirs' }]);
  });

  test.each([
    ['before it was stored', false],
    ['after it was stored', true],
  ])('an answer that is lost %s', async (_, isStored) => {
    const api = fakeApi();
    let fails = 1;
    api.before = ({ method }) => {
      if (method !== 'POST' || fails-- !== 1) return undefined;
      if (isStored) api.stored.set(`${configMaps}/app`, kube(app, { uid: 'stored' }));
      throw new GcError('the connection broke', { code: 'connection-dropped' });
    };
    expect(await run(chain.slice(0, 1), api)).toEqual(['app: created']);
    expect(metadataOf(api, 'app')?.uid).toBe(isStored ? 'stored' : 'new-app');
  });

  describe('a name that is taken after an answer was lost', () => {
    const managed = { fieldManagers: [{ manager: 'pipeline', operation: 'Apply', fieldsV1: {} }] };
    const data = { data: { of: 'mine' } };
    const objects = [
      saved(kube('v1 Secret boss')),
      saved(kube(app, ownedBy('v1 Secret boss'), data), managed),
    ];
    /** The first try to create `app` breaks off, and this is there. */
    const apiWith = (there: object, fields: object) => {
      const api = fakeApi();
      const taken = kube(app, { uid: 'theirs', ...there }, fields);
      api.before = ({ method, path }) => {
        if (method !== 'POST' || !path.startsWith(configMaps)) return undefined;
        if (api.stored.has(`${configMaps}/app`)) return undefined;
        api.stored.set(`${configMaps}/app`, taken);
        throw new GcError('the connection broke', { code: 'connection-dropped' });
      };
      return { api, taken };
    };
    const by = (manager: string) => ({ managedFields: [{ manager, operation: 'Update' }] });
    const other = /^app: faulty .* with other content$/;
    const collected = /^app: faulty .*\(GC-22\.13\)/;
    test.each([
      ['by other content', {}, other],
      ['by other content, under our name', by('kubectl-gc'), other],
      ['by other content, with a reference of before', ownedBy('v1 Secret boss'), collected],
    ])('%s is left as it is', async (_, there, end) => {
      const { api, taken: before } = apiWith(there, { data: { of: 'theirs' } });
      const told = await run(objects, api);
      expect(told).toEqual(['boss: created', expect.stringMatching(end)]);
      expect(api.stored.get(`${configMaps}/app`)).toEqual(before);
    });

    test('by the same of another client gets its owner, and keeps its managers', async () => {
      const { api } = apiWith(by('helm'), data);
      expect((await run(objects, api)).join('\n')).toMatchInlineSnapshot(`
        "boss: created
        app: exists the answer to its creation was lost, and its name is taken now"
      `);
      expect(metadataOf(api, 'app')).toMatchObject({
        ...by('helm'),
        ownerReferences: [{ name: 'boss', uid: 'new-boss' }],
      });
    });

    test.each([
      ['alone', by('kubectl-gc')],
      [
        'and written to since',
        { managedFields: [...by('kubectl-gc').managedFields, ...by('helm').managedFields] },
      ],
    ])('by what was sent is ours, %s', async (_, managers) => {
      const { api } = apiWith(managers, data);
      expect(await run(objects, api)).toEqual(['boss: created', 'app: created']);
      const kept = expect.arrayContaining(managed.fieldManagers);
      expect(metadataOf(api, 'app')?.managedFields).toEqual(kept);
    });
  });

  test('of a success without a body, what is there is looked at', async () => {
    const api = fakeApi();
    const answer = api.request;
    const theirs = kube(app, { uid: 'theirs' }, { data: { of: 'theirs' } });
    api.request = async (request) => {
      if (request.method !== 'POST') return answer(request);
      api.stored.set(`${configMaps}/app`, theirs);
      return { status: 201, headers: {}, body: (async function* () {})() };
    };
    expect(await run(chain.slice(0, 1), api)).toEqual(['app: created']);
    expect(
      (await run([saved(kube(app, {}, { data: { of: 'mine' } }))], api)).join('\n'),
    ).toMatchInlineSnapshot(
      `"app: faulty the answer to its creation was lost, and its name is taken now, with other content"`,
    );
  });

  test('a busy server is asked again, and given up in the end', async () => {
    const api = fakeApi();
    let busy = 2;
    api.before = () => (busy-- > 0 ? refusal(503, 'ServiceUnavailable') : undefined);
    expect(await run(chain.slice(0, 1), api)).toEqual(['app: created']);
    api.before = () => refusal(500, 'InternalError', 'a webhook failed');
    expect(await run([saved(kube(part))], api)).toEqual(['part: refused a webhook failed']);
  });

  test('a server that does not answer any more ends the run, which reports the objects that were not tried', async () => {
    const api = fakeApi();
    api.before = ({ body = '' }) => {
      if (!body.includes('"name":"part"')) return undefined;
      throw new GcError('connection refused', { code: 'unreachable' });
    };
    expect(await run(chain, api)).toEqual([
      'app: created',
      'part: refused connection refused',
      'leaf: not-tried',
    ]);
  });

  test('an interruption lets nothing more be sent', async () => {
    const stop = new AbortController();
    const api = fakeApi();
    const options = { signal: stop.signal, onResult: () => stop.abort() };
    expect(await run(chain, api, options)).toEqual([
      'app: created',
      'part: not-tried',
      'leaf: not-tried',
    ]);
    expect(api.writes).toHaveLength(1);
  });

  test('what the server quotes of a Secret is not passed on', async () => {
    const api = fakeApi();
    const { status, body } = refusal(422, 'Invalid', 'data[a]: Invalid value: "hunter2"');
    const details = { causes: [{ field: 'data[a]', message: 'Invalid value: "hunter2"' }] };
    api.before = () => ({ status, body: { ...body, details } });
    expect((await run([saved(kube('v1 Secret key'))], api)).join('\n')).toMatchInlineSnapshot(
      `"key: refused the server finds it invalid: data[a]"`,
    );
  });

  test('a Service whose address is taken gets another one', async () => {
    const service = kube('v1 Service web', {}, { spec: { clusterIP: '10.0.0.1', ports: [] } });
    const api = fakeApi();
    api.before = ({ body = '' }) =>
      body.includes('10.0.0.1')
        ? refusal(
            422,
            'Invalid',
            'spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
          )
        : undefined;
    expect((await run([saved(service)], api)).join('\n')).toMatchInlineSnapshot(
      `"web: created its address or port cannot be had here any more, so it got new ones"`,
    );
    expect(api.stored.get('/api/v1/namespaces/shop/services/web')?.spec).toEqual({ ports: [] });
  });
});

describe('re-linking', () => {
  const orphan = kube(part, { resourceVersion: '5' });
  const place = `${configMaps}/part`;
  const objects = [saved(kube(app)), saved(kube(part, ownedBy(app)))];

  test('an orphan gets its owner back, guarded by uid and version', async () => {
    const api = fakeApi([place, orphan]);
    const bodies: unknown[] = [];
    api.before = ({ method, body = '' }) => {
      if (method === 'PATCH') bodies.push(JSON.parse(body));
      return undefined;
    };
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'app', uid: 'new-app' };
    expect(await run(objects, api, { there: [orphan] })).toEqual([
      'app: created',
      'part: relinked',
    ]);
    expect(bodies).toEqual([
      [
        { op: 'test', path: '/metadata/uid', value: 'uid-part' },
        { op: 'test', path: '/metadata/resourceVersion', value: '5' },
        { op: 'add', path: '/metadata/ownerReferences', value: [reference] },
      ],
    ]);
  });

  test('an object that changes meanwhile is read again', async () => {
    const api = fakeApi([place, orphan]);
    let changes = 2;
    api.before = ({ method }) => {
      if (method === 'PATCH' && changes-- > 0) {
        api.stored.set(place, kube(part, { resourceVersion: `${changes}` }));
      }
      return undefined;
    };
    expect((await run(objects, api, { there: [orphan] }))[1]).toBe('part: relinked');
  });

  test('an object that was replaced in the meantime is skipped', async () => {
    const api = fakeApi([place, kube(part, { uid: 'theirs' })]);
    expect((await run(objects, api, { there: [orphan] }))[1]).toMatchInlineSnapshot(
      `"part: refused another object has its name now"`,
    );
  });

  test('an object that is being deleted in the meantime is skipped', async () => {
    const going = kube(part, { deletionTimestamp: '2026-01-31T12:00:00Z' });
    const api = fakeApi([place, going]);
    expect((await run(objects, api, { there: [orphan] }))[1]).toMatchInlineSnapshot(
      `"part: refused it is being deleted"`,
    );
  });
});

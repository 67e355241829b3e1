import { describe, expect, test } from 'vitest';
import { Clearance } from '../../../src/cluster/write/clearance.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { type KubeObject, recordOf } from '../../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { RestoreTarget } from '../../../src/restore/perform/restore-target.ts';
import { relinkObject } from '../../../src/restore/perform/restored-links.ts';
import { patience } from '../../cluster/fake-client.ts';
import { type FakeAnswer, type FakeApi, fakeApi, refusal } from '../../perform/send/fake-api.ts';
import { rowsOf } from '../../support/rows.ts';
import { kube, ownedBy, owner, saved } from '../saved.ts';
import { run } from './run-restore.ts';

const unset = { controller: undefined, blockOwnerDeletion: undefined };
const configMaps = '/api/v1/namespaces/shop/configmaps';
const app = saved(kube('v1 ConfigMap app'));

/** Answers the first POSTs in the server's place. */
function refusing(times: number, answer: FakeAnswer): FakeApi {
  const api = fakeApi();
  let left = times;
  api.before = ({ method }) => (method === 'POST' && left-- > 0 ? answer : undefined);
  return api;
}

describe('a request that comes too soon is sent again', () => {
  const soon = rowsOf(`
    before its kind is served                  | 404 | NotFound  | the server could not find the requested resource
    before its namespace has a ServiceAccount | 403 | Forbidden
        | pods "web" is forbidden: error looking up service account shop/default: serviceaccount "default" not found
    while a quota is written                   | 409 | Conflict  | Operation cannot be fulfilled on resourcequotas "q"
  `);
  test.each(soon)('%s', async (_, status, reason = '', message) => {
    const api = refusing(5, refusal(Number(status), reason, message));
    expect(await run([app], api)).toEqual(['app: created']);
    expect(api.writes).toHaveLength(6);
  });

  const never = rowsOf(`
    a namespace that is not there | 404 | NotFound  | namespaces "shop" not found
    what a user may not do        | 403 | Forbidden | exceeded quota
  `);
  test.each(never)('but not for %s', async (_, status, reason = '', message) => {
    const api = refusing(1, refusal(Number(status), reason, message));
    expect(await run([app], api)).toEqual([`app: refused ${message}`]);
    expect(api.writes).toHaveLength(1);
  });

  test('and not in a rehearsal, in which nothing comes', async () => {
    const api = refusing(1, refusal(404, 'NotFound', 'the server could not find it'));
    expect((await run([app], api, { dryRun: true })).join('\n')).toMatchInlineSnapshot(
      `"app: refused the server could not find it"`,
    );
    expect(api.writes).toHaveLength(1);
  });
});

describe('custom resources are created once their definition is established', () => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
  const definition = 'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com';
  const objects = [saved(kube('example.com/v1 Widget w')), saved(kube(definition))];
  const established = (status: string) => ({ conditions: [{ type: 'Established', status }] });

  /** The definition is established when it is looked at for the third time. */
  function apiOf(created: (definition: KubeObject | undefined) => void): FakeApi {
    const api = fakeApi();
    let looks = 0;
    api.before = ({ method = 'GET', path: asked, body = '' }) => {
      const live = api.stored.get(path);
      if (method === 'GET' && asked.startsWith(path) && live) {
        const status = established(++looks < 3 ? 'False' : 'True');
        api.stored.set(path, { ...live, status });
      }
      if (method === 'POST' && body.includes('"kind":"Widget"')) created(live);
      return undefined;
    };
    return api;
  }

  test('which takes a moment', async () => {
    const seen: unknown[] = [];
    const api = apiOf((live) => seen.push(live?.status));
    const retry = patience();
    expect(await run(objects, api, { retry })).toEqual([
      'widgets.example.com: created',
      'w: created',
    ]);
    expect(seen).toEqual([established('True')]);
    expect(retry.waits).toEqual([500, 500]);
  });

  test('for which a rehearsal does not wait', async () => {
    const retry = patience();
    const [first] = await run(
      objects,
      apiOf(() => undefined),
      { retry, dryRun: true },
    );
    expect(first).toBe('widgets.example.com: created');
    expect(retry.waits).not.toContain(500);
  });
});

describe('an object that is written to before every patch', () => {
  const place = `${configMaps}/app`;
  const changed = refusal(422, 'Invalid', 'the test of the resourceVersion failed');
  const patches = (api: FakeApi) => api.writes.filter((write) => write.startsWith('PATCH')).length;
  const neverPatched = (...objects: [string, KubeObject][]) => {
    const api = fakeApi(...objects);
    api.before = ({ method }) => (method === 'PATCH' ? changed : undefined);
    return api;
  };

  test('keeps the managers that it has, and is reported', async () => {
    const fieldManagers = [{ manager: 'pipeline', operation: 'Apply' }];
    const api = neverPatched();
    expect(
      (await run([saved(kube('v1 ConfigMap app'), { fieldManagers })], api)).join('\n'),
    ).toMatchInlineSnapshot(
      `"app: created its field managers were not restored: the test of the resourceVersion failed"`,
    );
    expect(patches(api)).toBe(5);
  });

  test('does not get its owner back, and is reported', async () => {
    const orphan = kube('v1 ConfigMap app');
    const api = neverPatched([place, orphan]);
    const boss = saved(kube('v1 ConfigMap boss'));
    const owned = saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap boss')));
    expect((await run([boss, owned], api, { there: [orphan] })).join('\n')).toMatchInlineSnapshot(`
      "boss: created
      app: refused the test of the resourceVersion failed"
    `);
    expect(patches(api)).toBe(5);
  });
});

test('discovery is asked for a new kind for ten seconds, and no longer', async () => {
  let asked = 0;
  const discover = async () => {
    asked += 1;
    return new ResourceTypes(builtInTypes, { exhaustive: true });
  };
  const retry = patience();
  await run([saved(kube('example.com/v1 Widget w'))], fakeApi(), { discover, retry });
  expect(asked % 20).toBe(0);
  expect(new Set(retry.waits)).toEqual(new Set([500]));
});

test('a fault of the program is not taken for a refusal', async () => {
  const api = fakeApi();
  api.before = () => {
    throw new TypeError('it is no function');
  };
  await expect(run([app], api)).rejects.toThrow('it is no function');
});

describe('references that an object gets back', () => {
  const at = saved(kube('v1 ConfigMap app'));
  const place = `${configMaps}/app`;
  const boss = owner('v1 ConfigMap boss', { uid: 'new-boss' });
  const wanted = [{ reference: { ...boss, ...unset }, staleUid: 'uid-boss' }];
  const relinked = async (...references: object[]) => {
    const live = kube('v1 ConfigMap app', { ownerReferences: references });
    const api = fakeApi([place, live]);
    const target = new RestoreTarget(api, {
      dryRun: false,
      clearance: Clearance.grant('restoration', { paths: [place], agreed: 'flag' }),
      retry: patience(),
    });
    const { outcome } = await relinkObject(target, at, wanted, {
      expectedUid: 'uid-app',
      isIncomplete: false,
    });
    const after = recordOf(api.stored.get(place) ?? live, at.type).ownerReferences;
    return { outcome, uids: after.map(({ uid }) => uid), writes: api.writes.length };
  };

  test('take the place of those with the uid from before, and of no others', async () => {
    const before = [
      owner('v1 ConfigMap boss'),
      owner('v1 ConfigMap boss', { uid: 'of-another-boss' }),
      owner('v1 ConfigMap other'),
    ];
    expect(await relinked(...before)).toEqual({
      outcome: 'patched',
      uids: ['of-another-boss', 'uid-other', 'new-boss'],
      writes: 1,
    });
  });

  test('stay alone where an owner is named by both of its uids', async () => {
    const end = { outcome: 'patched', uids: ['new-boss'], writes: 1 };
    expect(await relinked(owner('v1 ConfigMap boss'), boss)).toEqual(end);
  });

  test('are not written again where they are there', async () => {
    expect(await relinked(boss)).toEqual({ outcome: 'exists', uids: ['new-boss'], writes: 0 });
  });
});

describe('a run that is interrupted', () => {
  const circle = [
    saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap part'))),
    saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app'))),
  ];
  const ownerOf = (api: FakeApi) => api.stored.get(`${configMaps}/app`)?.metadata.ownerReferences;

  test('before a reference is set leaves the object for the next run, which sets it', async () => {
    const stop = new AbortController();
    const api = fakeApi();
    let posts = 0;
    api.after = ({ method }) => {
      if (method === 'POST' && ++posts === 2) stop.abort();
    };
    expect(await run(circle, api, { signal: stop.signal })).toEqual([
      'app: created',
      'part: created',
    ]);
    expect(ownerOf(api)).toBeUndefined();
    api.after = () => undefined;
    const there = [...api.stored.values()];
    expect(await run(circle, api, { there })).toContain('app: relinked');
    expect(ownerOf(api)).toMatchObject([{ name: 'part', uid: 'new-part' }]);
  });

  test('a rehearsal of a circle sets no reference', async () => {
    const api = fakeApi();
    expect(await run(circle, api, { dryRun: true })).toEqual(['app: created', 'part: created']);
    expect(api.writes.filter((write) => write.startsWith('PATCH'))).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { GcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { scopesOf } from '../../../src/perform/follow/followed-scope.ts';
import {
  builderOf,
  configMap,
  deployment,
  gadget,
  ownedBy,
  pod,
  replicaSet,
  widget,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { FakeCluster, failure } from '../send/fake-cluster.ts';
import {
  deletionOf,
  deletionsOf,
  perform,
  planned,
  reasonsLeft,
  told,
  whenGone,
} from '../send/plans.ts';
import { following } from './tracked.ts';

test('a watch goes on from the list that a plan was made from', () => {
  const { tracked } = following(
    ...[pod('a'), deployment('web')].map((one) => planned(one, 'deleted')),
  );
  const listed = new Map([['pods shop', '7']]);
  const scopes = scopesOf(tracked.all, true, listed);
  expect(scopes.map(({ type, from }) => [type.resource, from])).toEqual([
    ['pods', '7'],
    ['deployments', undefined],
  ]);
});

describe('what is listed and watched', () => {
  const scopes = (others: boolean, ...records: ObjectRecord[]) => {
    const { tracked } = following(...records.map((record) => planned(record, 'deleted')));
    return scopesOf(tracked.all, others).map(({ type, namespace, name, objects }) =>
      [type.resource, namespace ?? '*', name ?? '*', objects.length].join(' '),
    );
  };
  const called: Record<string, ObjectRecord> = {
    g: gadget('g'),
    h: gadget('h'),
    web: deployment('web'),
    a: pod('a'),
    b: pod('b'),
    x: replicaSet('x'),
  };
  for (const namespace of '1234') called[namespace] = configMap('x', { namespace });

  const rows = rowsOf(`
    one object without a namespace      | g       | others | gadgets * g 1
    two objects without a namespace     | g h     |        | gadgets * * 2
    one object                          | a       |        | pods shop a 1
    one object, and others of its kind  | a       | others | pods shop * 1
    two objects                         | a b     |        | pods shop * 2
    objects in three namespaces         | 1 2 3   |        | configmaps 1 * 1, configmaps 2 * 1, configmaps 3 * 1
    objects in four namespaces          | 1 2 3 4 |        | configmaps * * 4
    several kinds, the one with most objects first | web a b x | others
        | pods shop * 2, deployments shop * 1, replicasets shop * 1
  `);
  test.each(rows)('%s', (_, names = '', others, expected) => {
    const records = names.split(' ').flatMap((name) => called[name] ?? []);
    expect(scopes(others === 'others', ...records).join(', ')).toBe(expected);
  });

  test('what is not served is not asked for', () => {
    const gone = planned(pod('a'), 'deleted', { apiVersion: 'gone.example.com/v1', kind: 'Gone' });
    expect(scopesOf(following(gone).tracked.all, true)).toEqual([]);
  });
});

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });

test('a watch that a limit for all requests ends is opened again without a word', async () => {
  const cluster = new FakeCluster([web, set]);
  const plan = deletionOf(web, set);
  const events = await whenGone(cluster, plan, () => {
    cluster.cutWatches(new GcError('it took too long', { code: 'request-timeout' }));
    setTimeout(() => cluster.remove(set), 40);
  });
  expect(told(events).slice(2)).toEqual(['observed web gone', 'observed web-1 gone', 'done gone']);
});

describe('a kind that is not served any more', () => {
  const definitionOf = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const one = widget('one');

  /** How it ends for a widget whose list is answered so, once another object was deleted. */
  async function endOf(
    asked: ObjectRecord,
    stays: boolean | 'until it is asked twice',
    answer: ReturnType<typeof failure>,
    timeout = 3_000,
  ) {
    const cluster = new FakeCluster([asked, one]);
    cluster.onDelete = () => {
      if (!stays) cluster.remove(asked);
      cluster.cutWatches();
    };
    let asks = 0;
    cluster.before = ({ path }) => {
      if (!/\/widgets(\/one)?$/.test(path) || cluster.deletes.length === 0) return undefined;
      asks += 1;
      if (stays === 'until it is asked twice' && asks === 2) cluster.remove(asked);
      return answer;
    };
    const plan = deletionOf(asked, one);
    const events = await perform(cluster, plan, { timeout });
    const lost = events.filter((event) => event.type === 'watch' && event.state === 'lost');
    if (told(events).includes('observed one gone')) return `gone, lost ${lost.length} times`;
    return reasonsLeft(events);
  }
  const absent = { status: 404, body: '404 page not found' };

  test('is deleted with its definition', async () => {
    expect(await endOf(definitionOf('widgets.example.com'), false, absent)).toBe(
      'gone, lost 0 times',
    );
  });

  test('is no loss for the moment until its definition is seen to be deleted', async () => {
    const definition = definitionOf('widgets.example.com');
    expect(await endOf(definition, 'until it is asked twice', absent)).toBe('gone, lost 0 times');
  });

  test.each([
    ['its definition is there', definitionOf('widgets.example.com'), true],
    ['another definition is gone', definitionOf('gadgets.example.com'), false],
    ['a namesake is deleted', configMap('widgets.example.com'), false],
  ])('is not gone because %s', async (_, asked, stays) => {
    // A definition that stays is waited for until the time is up.
    const reasons = await endOf(asked, stays, absent, stays ? 1_000 : 3_000);
    expect(reasons).toMatch(/^one: unknown .* HTTP status 404$/m);
  });

  test('is not deleted because the server answers with an error', async () => {
    const odd = failure(400, 'BadRequest', 'not so');
    const ended = await endOf(definitionOf('widgets.example.com'), false, odd, 500);
    expect(ended).toMatch(/^one: unknown .*: not read since$/);
  });
});

test('an object that may only be deleted is not read, and its end is unknown', async () => {
  const a = configMap('a');
  const types = new ResourceTypes([{ ...a.type, verbs: ['delete'] }], { exhaustive: true });
  const cluster = new FakeCluster([a]);
  cluster.before = ({ method }) =>
    method === 'GET' ? failure(405, 'MethodNotAllowed', 'only delete is allowed') : undefined;
  const events = await perform(cluster, deletionOf(a), { types });
  expect(told(events).filter((line) => !line.startsWith('watch'))).toEqual([
    'planned 1 1',
    'sent a 200',
    'observed a unknown',
    'left a',
    'done settled',
  ]);
  expect(reasonsLeft(events)).toMatchInlineSnapshot(
    `"a: unknown whether it was deleted: it can only be deleted"`,
  );
  expect(cluster.requests[0]?.method).toBe('DELETE');
});

test('an object that is read by name does not count as deleted because the server answers with an error', async () => {
  const cluster = new FakeCluster([web, set]);
  let isBusy = false;
  cluster.before = ({ method, path }) => {
    if (method !== 'GET' || !path.includes('/replicasets')) return undefined;
    if (!path.endsWith('/web-1')) return failure(403, 'Forbidden', 'no');
    return isBusy ? failure(400, 'BadRequest', 'not so') : undefined;
  };
  const plan = deletionOf(web, set);
  const stop = new AbortController();
  const events = await perform(cluster, plan, { signal: stop.signal }, (event) => {
    if (event.type === 'watch' && event.state === 'lost') stop.abort();
    if (event.type !== 'observed') return;
    if (event.object.name === 'web') {
      cluster.put({ ...set, deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['a/b'] });
    } else isBusy = true;
  });
  const lines = told(events).filter((line) => !line.startsWith('watch'));
  expect(lines.slice(2)).toEqual([
    'observed web gone',
    'observed web-1 terminating',
    'left web-1',
    'done interrupted',
  ]);
});

test('a deleted object is not read again', async () => {
  const [a, b] = [configMap('a'), configMap('b')];
  const cluster = new FakeCluster([a, b]);
  cluster.before = ({ method, path }) =>
    method === 'GET' && path.endsWith('/configmaps') ? failure(403, 'Forbidden', 'no') : undefined;
  cluster.onDelete = (record) => setTimeout(() => cluster.remove(record), record === a ? 0 : 200);
  const events = await perform(cluster, deletionsOf(a, b));
  expect(told(events).at(-1)).toBe('done gone');
  const looks = (name: string) =>
    cluster.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(`/${name}`));
  const last = events.findIndex((event) => event.type === 'observed' && event.object.name === 'a');
  expect(last).toBeGreaterThan(0);
  expect(looks('b').length).toBeGreaterThan(looks('a').length);
});

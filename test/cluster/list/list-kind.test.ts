import { describe, expect, test } from 'vitest';
import { listKind, namespaceFallback } from '../../../src/cluster/list/list-kind.ts';
import { GcError } from '../../../src/errors.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { rowsOf } from '../../support/rows.ts';
import { builtIn } from '../built-in.ts';
import { encodeList } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

const secrets = builtIn('secrets');
const denied = 'secrets is forbidden: User "ann" cannot list resource "secrets"';

function list(...names: string[]): Answer {
  return protobuf(encodeList(names.map((name) => ({ name, namespace: 'shop' }))));
}

/** Lists the Secrets of a server of `*=403 namespaces=shop,bank shop=a bank=`: everywhere, or in these namespaces. */
async function listed(places: string, inForce: string, namespaces?: readonly string[]) {
  const answers = places.split(' ').map((place) => {
    const [where = '', names = ''] = place.split('=');
    const within = where === '*' || where === 'namespaces' ? '' : `namespaces/${where}/`;
    const path = `/api/v1/${within}${where === 'namespaces' ? where : 'secrets'}`;
    const answer =
      names === '403' ? refusal(403, denied) : list(...names.split(',').filter(Boolean));
    return [`${path}?resourceVersion=0`, answer];
  });
  const client = fakeClient(Object.fromEntries(answers), { namespace: inForce });
  const options = { retry: patience() };
  const types = new ResourceTypes(builtInTypes, { exhaustive: true });
  const fallback = namespaceFallback(client, types, options);
  const scope = { namespaces, fallback };
  const { records, read, problems } = await listKind(client, secrets, scope, options);
  const names = records.map(({ name }) => name).join(' ');
  return { names, read, problems, asked: client.paths };
}

const problem = (message: string, changes: object = {}) => {
  const about = { resource: 'secrets', apiVersion: 'v1', verb: 'list' };
  return { reason: 'forbidden', ...about, message, status: 403, ...changes };
};

/** What the server answers and the namespace in force; the names that are read, where, and what is said of the rest. */
const fallbacks = rowsOf(`
  *=a,b                                               | default | a b | everywhere   |
  *=403 namespaces=shop,bank,zoo zoo=a shop= bank=403 | zoo     | a   | zoo shop     | it was read in namespaces zoo, shop only
  *=403 namespaces=default,shop default=a shop=b      | default | a b | default shop |
  *=403 namespaces=403 shop=a                         | shop    | a   | shop         | it was read in namespace shop only
  *=403 namespaces=default,shop default=403 shop=403  | default |     |              | nor in any of 2 namespaces
`);

describe('listKind', () => {
  test.each(fallbacks)('of %s with %s in force reads %j in %j', async (places = '', ...row) => {
    const [inForce = '', names, where = '', rest] = row;
    const namespaces = where === 'everywhere' ? {} : { namespaces: where.split(' ') };
    const { asked, ...told } = await listed(places, inForce);
    expect(told).toEqual({
      names,
      read: where === '' ? undefined : { resource: 'secrets', ...namespaces },
      problems: rest ? [problem(`cannot list secrets: ${denied}; ${rest}`)] : [],
    });
  });

  test('reads a kind in some namespaces, and reports the others', async () => {
    const { asked, ...told } = await listed('shop=a bank=403', 'default', ['shop', 'bank']);
    expect(told).toEqual({
      names: 'a',
      read: { resource: 'secrets', namespaces: ['shop'] },
      problems: [problem(expect.stringMatching(denied), { namespace: 'bank' })],
    });
    expect(asked).not.toContain('/api/v1/secrets?resourceVersion=0');
  });

  test.each<[string, Answer, string]>([
    ['unlistable', refusal(404, 'no such kind'), 'no such kind'],
    ['unlistable', refusal(405, 'not supported'), 'not supported'],
    ['unavailable', refusal(503, 'its server is down'), 'its server is down'],
    ['forbidden', refusal(401, 'Unauthorized'), 'Unauthorized'],
    ['unreadable', { ...list('a'), dropAfter: 9 }, ''],
    ['unreadable', protobuf(Buffer.from('<html>')), 'malformed protobuf: '],
    ['unreadable', { status: 302 }, '302'],
    ['unavailable', { status: 502, body: '<p>' }, '502'],
  ])('an unread kind is unknown: %s, %o', async (reason, answer, message) => {
    const nodes = builtIn('nodes');
    const client = fakeClient({
      '/api/v1/nodes?resourceVersion=0': answer,
      '/api/v1/nodes?limit=2000': answer,
    });
    const { read, problems } = await listKind(client, nodes, {}, { retry: patience() });
    expect({ read, problems }).toEqual({
      read: undefined,
      problems: [
        {
          reason,
          message: expect.stringMatching(new RegExp(`^cannot list nodes: .*${message}`)),
          resource: 'nodes',
          apiVersion: 'v1',
          verb: 'list',
          ...((answer.status ?? 200) !== 200 && { status: answer.status }),
        },
      ],
    });
  });

  test('distinguishes a timeout of one kind from an unreachable cluster', async () => {
    const failing = (code: string) => ({
      ...fakeClient({}),
      request: () => Promise.reject(new GcError('no answer within 1 s', { code })),
    });
    const { problems } = await listKind(failing('request-timeout'), secrets);
    expect(problems).toEqual([
      problem('cannot list secrets: no answer within 1 s', {
        reason: 'timed-out',
        status: undefined,
      }),
    ]);
    await expect(listKind(failing('connection-refused'), secrets)).rejects.toMatchObject({
      code: 'connection-refused',
    });
  });
});

describe('facts in some namespaces', () => {
  const pods = builtIn('pods');
  const elsewhere = '/api/v1/pods?fieldSelector=metadata.namespace!%3Dshop&resourceVersion=0';
  const inShop = '/api/v1/namespaces/shop/pods?resourceVersion=0';
  const options = { retry: patience(), factsIn: ['shop'] };
  const podsIn = (resourceVersion: string, ...places: string[]): Answer => {
    const items = places.map((place) => {
      const [namespace = '', name = ''] = place.split('/');
      return { name, namespace };
    });
    return protobuf(encodeList(items, { resourceVersion }));
  };
  const whole = { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [running('a')] };

  function running(name: string) {
    return { metadata: { name, namespace: 'shop' }, status: { phase: 'Running' } };
  }

  test('are read beside metadata of all else', async () => {
    // A server that does not know the selector sends everything.
    const client = fakeClient({
      [elsewhere]: podsIn('9', 'bank/b', 'shop/a'),
      [inShop]: { body: whole },
    });
    const versions: string[] = [];
    const { records, read, problems } = await listKind(
      client,
      pods,
      {},
      {
        ...options,
        onListed: ({ resourceVersion }) => versions.push(resourceVersion),
      },
    );
    const seen = records.map(({ namespace, name, facts }) => [namespace, name, facts?.phase]);
    expect(seen).toEqual([
      ['bank', 'b', undefined],
      ['shop', 'a', 'Running'],
    ]);
    expect({ read, problems, versions }).toEqual({
      read: { resource: 'pods' },
      problems: [],
      versions: ['7'],
    });
  });

  test('are not read of kinds that have none', async () => {
    const path = '/api/v1/configmaps?resourceVersion=0';
    const client = fakeClient({ [path]: podsIn('9', 'bank/b') });
    await listKind(client, builtIn('configmaps'), {}, options);
    expect(client.paths).toEqual([path]);
  });

  test('where they cannot be read, the kind was not read', async () => {
    const client = fakeClient({
      [elsewhere]: podsIn('9', 'bank/b'),
      [inShop]: refusal(500, 'down'),
    });
    const { records, read, problems } = await listKind(client, pods, {}, options);
    expect([records, read]).toEqual([[], undefined]);
    expect(problems).toMatchObject([{ resource: 'pods', reason: 'unavailable' }]);
  });

  test('are read where only single namespaces may be listed', async () => {
    const client = fakeClient({ [inShop]: { body: whole } });
    const { records } = await listKind(client, pods, { namespaces: ['shop'] }, options);
    expect(records.map(({ facts }) => facts?.phase)).toEqual(['Running']);
  });
});

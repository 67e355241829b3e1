import { describe, expect, test } from 'vitest';
import { event, eventOf, lines, namesIn, readText } from './audit-events.ts';

const write = (verb: string, path: string, objectRef: object, more: object = {}) => ({
  verb,
  requestURI: path,
  objectRef: { apiVersion: 'v1', ...objectRef },
  ...more,
});
const lease = { resource: 'leases', apiGroup: 'coordination.k8s.io', namespace: 'a', name: 'n1' };
const statusOf = (name: string) => ({
  resource: 'pods',
  namespace: 'shop',
  name,
  subresource: 'status',
});

/** Events by whether they are kept. */
const needed: readonly (readonly [string, boolean, object])[] = [
  ['a DELETE', true, {}],
  [
    'a DELETE of an Event',
    true,
    write('delete', '/api/v1/namespaces/a/events/e', {
      resource: 'events',
      namespace: 'a',
      name: 'e',
    }),
  ],
  [
    'a DELETE of a Lease',
    true,
    write('delete', '/apis/coordination.k8s.io/v1/namespaces/a/leases/n1', lease),
  ],
  [
    'a DELETE that a Pod serves',
    false,
    write('delete', '/api/v1/namespaces/a/pods/b/proxy/x', {
      resource: 'pods',
      namespace: 'a',
      name: 'b',
      subresource: 'proxy',
    }),
  ],
  ['a read', false, { verb: 'get' }],
  ['a watch', false, { verb: 'watch' }],
  ['a POST to no resource', false, write('create', '/healthz', {})],
  ['the beginning of a DELETE', false, { stage: 'RequestReceived' }],
  ['a DELETE that panicked', false, { stage: 'Panic' }],
  ['a refused DELETE', false, { responseStatus: { code: 403 } }],
  ['a dry DELETE', true, { requestURI: '/api/v1/namespaces/shop/pods/web-1?dryRun=All' }],
  [
    'a Lease that is renewed',
    false,
    write('update', '/apis/coordination.k8s.io/v1/namespaces/a/leases/n1?timeout=5s', lease),
  ],
  [
    'an Event',
    false,
    write('create', '/api/v1/namespaces/a/events', { resource: 'events', namespace: 'a' }),
  ],
  [
    'an Event of events.k8s.io',
    false,
    write('patch', '/apis/events.k8s.io/v1/namespaces/a/events/e', {
      resource: 'events',
      apiGroup: 'events.k8s.io',
      namespace: 'a',
      name: 'e',
    }),
  ],
  [
    'custom events',
    true,
    write('create', '/apis/shop.example/v1/namespaces/a/events', {
      resource: 'events',
      apiGroup: 'shop.example',
      namespace: 'a',
    }),
  ],
  [
    'a TokenReview',
    false,
    write('create', '/apis/authentication.k8s.io/v1/tokenreviews', {
      resource: 'tokenreviews',
      apiGroup: 'authentication.k8s.io',
    }),
  ],
  [
    'a ServiceAccount token',
    false,
    write('create', '/api/v1/namespaces/a/serviceaccounts/s/token', {
      resource: 'serviceaccounts',
      namespace: 'a',
      name: 's',
      subresource: 'token',
    }),
  ],
  [
    'a binding',
    false,
    write('create', '/api/v1/namespaces/a/pods/b/binding', {
      resource: 'pods',
      namespace: 'a',
      name: 'b',
      subresource: 'binding',
    }),
  ],
  [
    'an exec',
    false,
    write('create', '/api/v1/namespaces/a/pods/b/exec?command=rm', {
      resource: 'pods',
      namespace: 'a',
      name: 'b',
      subresource: 'exec',
    }),
  ],
  ['a status', false, write('patch', '/api/v1/namespaces/shop/pods/b/status', statusOf('b'))],
  [
    'a status of a Node',
    false,
    write('patch', '/api/v1/nodes/n1/status?timeout=10s', {
      resource: 'nodes',
      name: 'n1',
      subresource: 'status',
    }),
  ],
  [
    'a status of a Namespace',
    false,
    write('update', '/api/v1/namespaces/shop/status', {
      resource: 'namespaces',
      name: 'shop',
      namespace: 'shop',
      subresource: 'status',
    }),
  ],
  [
    'a status with finalizers',
    true,
    write('patch', '/api/v1/namespaces/shop/pods/b/status', statusOf('b'), {
      requestObject: { metadata: { finalizers: null } },
    }),
  ],
  [
    'status without finalizers',
    false,
    write('update', '/api/v1/namespaces/shop/pods/b/status', statusOf('b'), {
      requestObject: {
        metadata: { name: 'b', managedFields: [{ fieldsV1: { 'f:finalizers': {} } }] },
      },
      responseObject: { metadata: { name: 'b' } },
    }),
  ],
  [
    'status with finalizers',
    true,
    write('update', '/api/v1/namespaces/shop/pods/b/status', statusOf('b'), {
      responseObject: { metadata: { name: 'b', finalizers: ['a.example/b'] } },
    }),
  ],
  [
    'a binding with metadata',
    false,
    write(
      'create',
      '/api/v1/namespaces/shop/pods/b/binding',
      { ...statusOf('b'), subresource: 'binding' },
      {
        requestObject: { kind: 'Binding', metadata: { name: 'b' } },
      },
    ),
  ],
  [
    'an object named status',
    true,
    write('patch', '/api/v1/namespaces/shop/configmaps/status', {
      resource: 'configmaps',
      namespace: 'shop',
      name: 'status',
    }),
  ],
  [
    'a Namespace that is finalized',
    true,
    write('update', '/api/v1/namespaces/shop/finalize', {
      resource: 'namespaces',
      namespace: 'shop',
      name: 'shop',
      subresource: 'finalize',
    }),
  ],
  [
    'a scale',
    true,
    write('patch', '/apis/apps/v1/namespaces/shop/deployments/web/scale', {
      resource: 'deployments',
      apiGroup: 'apps',
      namespace: 'shop',
      name: 'web',
      subresource: 'scale',
    }),
  ],
  [
    'an eviction',
    true,
    write('create', '/api/v1/namespaces/shop/pods/b/eviction', {
      resource: 'pods',
      namespace: 'shop',
      name: 'b',
      subresource: 'eviction',
    }),
  ],
];

describe('of events', () => {
  const at = { from: Date.parse('2026-11-28T09:30:00Z') + 4.75 };

  // The first order is the API server's, of which most events are recognised without being parsed; no other order is.
  test.each(needed)('%s is kept: %s', async (_, isKept, fields) => {
    const given = event(fields);
    for (const one of [given, Object.fromEntries(Object.entries(given).toReversed())]) {
      const log = await readText(lines(one));
      expect(log).toMatchObject({ ...at, to: at.from, events: 1, problems: [] });
      expect(log.requests.length).toBe(isKept ? 1 : 0);
    }
  });

  const poison = '"stage":"RequestReceived","requestURI":"/healthz","verb":"get",';

  test.each<[string, object]>([
    ['user agent', { userAgent: `{${poison}` }],
    ['user', { user: { username: poison, extra: { verb: ['get'], [poison]: [poison] } } }],
    [
      'URI',
      { requestURI: `/api/v1/namespaces/shop/pods/web-1?x=","verb":"get",&y=\\","verb":"get",` },
    ],
    ['audit ID', { auditID: `x","stage":"Panic","requestURI":"/","verb":"get","a":"` }],
    ['annotation', { annotations: { 'a"verb":"get"': poison, '"verb":"get"': '"verb":"watch"' } }],
    ['body', { requestObject: { stage: 'Panic', verb: 'get', kind: 'Event', objectRef: {} } }],
    ['leading field', { level: 'Metadata"', auditID: '1' }],
  ])('a DELETE is kept whatever its %s holds', async (_, fields) => {
    expect(namesIn(await readText(lines(event(fields))))).toEqual(['delete web-1']);
  });

  test('the time of one is noted that has long annotations', async () => {
    const long = { verb: 'get', annotations: { 'a.example/b': 'x'.repeat(5000) } };
    const at = Date.parse('2026-11-28T09:30:07Z');
    expect(await readText(lines(eventOf('a', 7, long)))).toMatchObject({
      from: at,
      to: at,
      events: 1,
    });
  });
});

describe('of a run of updates by one program', () => {
  const update = (second: number, fields: object = {}) =>
    eventOf('web', second, { verb: 'update', ...fields });
  const patch = (second: number, fields: object = {}) =>
    eventOf('web', second, { verb: 'patch', ...fields });
  const by = (userAgent: string) => ({ userAgent });
  const says = (metadata: object, spec: object = {}) => ({ requestObject: { metadata, spec } });

  test.each<[string, readonly object[], readonly number[]]>([
    ['five updates', [1, 2, 3, 4, 5].map((at) => update(at)), [1, 5]],
    ['updates and patches', [update(1), patch(2), update(3), patch(4)], [1, 4]],
    ['two requests', [update(1), patch(2)], [1, 2]],
    [
      'another program ends it',
      [update(1), update(2), update(3), update(4, by('x')), update(5), update(6), update(7)],
      [1, 3, 4, 5, 7],
    ],
    [
      'a deletion ends it',
      [update(1), update(2), eventOf('web', 3), update(4), update(5), update(6)],
      [1, 2, 3, 4, 6],
    ],
    [
      'a creation ends it',
      [
        update(1),
        update(2),
        eventOf('web', 3, { verb: 'create' }),
        update(4),
        update(5),
        update(6),
      ],
      [1, 2, 3, 4, 6],
    ],
    [
      'a deletecollection ends it',
      [update(1), update(2), update(3), eventOf('', 4, { verb: 'deletecollection' }), update(5)],
      [1, 3, 4, 5],
    ],
    [
      'another object continues it',
      [update(1), eventOf('other', 2, { verb: 'update' }), update(3), update(4)],
      [1, 2, 4],
    ],
    [
      'a read continues it',
      [update(1), update(2), eventOf('web', 3, { verb: 'get' }), update(4)],
      [1, 4],
    ],
    [
      'changed finalizers are kept',
      [
        update(1, says({ finalizers: ['a/b'] })),
        update(2, says({ finalizers: ['a/b'] })),
        update(3, says({})),
        update(4, says({})),
      ],
      [1, 2, 3, 4],
    ],
    [
      'changed replicas are kept',
      [1, 2, 3, 4, 5].map((at) => update(at, says({}, { replicas: Number(at > 2) }))),
      [1, 2, 3, 5],
    ],
    [
      'changed owners are kept',
      [1, 2, 3, 4, 5].map((at) =>
        update(at, says({ ownerReferences: at > 3 ? [{ uid: 'u' }] : [] })),
      ),
      [1, 3, 4, 5],
    ],
    [
      'another uid ends it',
      [1, 2, 3, 4, 5].map((at) =>
        update(at, {
          objectRef: {
            resource: 'pods',
            namespace: 'shop',
            name: 'web',
            uid: `u${Number(at > 3)}`,
          },
        }),
      ),
      [1, 3, 4, 5],
    ],
  ])('%s', async (_, events, expected) => {
    const { requests, events: read } = await readText(lines(...events));
    expect(requests.map(({ answeredAt }) => new Date(answeredAt).getSeconds())).toEqual(expected);
    expect(read).toBe(events.length);
  });
});

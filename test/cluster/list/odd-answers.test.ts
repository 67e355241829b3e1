import { describe, expect, test } from 'vitest';
import { fromCluster } from '../../../src/cluster/from-cluster.ts';
import { getObject } from '../../../src/cluster/list/get-objects.ts';
import { listKind } from '../../../src/cluster/list/list-kind.ts';
import { pod, servedTypes } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { builtIn } from '../built-in.ts';
import { encodeList } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf } from '../fake-client.ts';
import { enveloped } from '../wire-writer.ts';

const retry = patience();
const status = { kind: 'Status', apiVersion: 'v1', message: 'Unauthorized', code: 401 };

/** Bodies that are no list of pods, and what is said of them. */
const noList = rowsOf(`
  {}                                                   | the answer is not a list
  {"error": "login required"}                          | the answer is not a list
  []                                                   | the answer is not an object
  5                                                    | the answer is not an object
  {"items": []}                                        | the answer is not a list
  {"kind": "PodList"}                                  | the answer is not a list, but a PodList without items
  {"kind": "Pod", "metadata": {"name": "web"}}         | the answer is not a list, but a Pod without items
  {"kind": "Pod", "items": null}                       | the answer is not a list, but a Pod without items
  {PODS "abc"}                                         | the answer is not a list, but a PodList without items
  {PODS {}}                                            | the answer is not a list, but a PodList without items
  {PODS 5}                                             | the answer is not a list, but a PodList without items
  {"kind": "ServiceList", "items": [WEB]}              | the answer is a ServiceList, and not a list of Pods
  {"kind": "PodList", "metadata": {"continue": "LONG"}, "items": []} | its continue token is longer than 16384 characters
  {PODS [WEB, null]}                                   | item 2 of the list is not an object with a name
  {PODS [WEB, []]}                                     | item 2 of the list is not an object with a name
  {PODS [WEB, "web"]}                                  | item 2 of the list is not an object with a name
  {PODS [WEB, {}]}                                     | item 2 of the list is not an object with a name
  {PODS [WEB, {"metadata": null}]}                     | item 2 of the list is not an object with a name
  {PODS [WEB, {"metadata": []}]}                       | item 2 of the list is not an object with a name
  {PODS [WEB, {"metadata": {}}]}                       | item 2 of the list is not an object with a name
  {PODS [{"metadata": {"name": ".."}}]}                | item 1 of the list is not an object with a name
  {PODS [{"metadata": {"name": "a", "ownerReferences": {}}}]}
      | item 1 of the list is malformed: metadata.ownerReferences is a mapping, not a list
  {PODS [{"metadata": {"name": "a", "namespace": 5}}]}
      | item 1 of the list is malformed: metadata.namespace is a number, not a string
`).map(([body = '', reason]) => [
  body
    .replace('PODS', '"kind": "PodList", "items":')
    .replace('WEB', '{"metadata": {"name": "web", "namespace": "shop", "uid": "u"}}')
    .replace('LONG', 'x'.repeat(16 * 1024 + 1)),
  reason,
]);

test('an object that is longer than any can be is not read', async () => {
  const body = ' '.repeat(65 * 1024 * 1024);
  const client = fakeClient({ '/api/v1/namespaces/shop/pods/web': { body } });
  const { record, problem } = await getObject(
    client,
    { type: builtIn('pods'), namespace: 'shop', name: 'web' },
    { retry },
  );
  expect([record, problem]).toEqual([
    undefined,
    {
      reason: 'unreadable',
      message: expect.stringMatching(/^cannot get pods\/web in shop: .* 67108864 bytes$/),
      resource: 'pods',
      apiVersion: 'v1',
      namespace: 'shop',
      name: 'web',
      verb: 'get',
    },
  ]);
});

describe('a list that is none leaves its kind unread', () => {
  const type = builtIn('pods');
  const list = async (answer: Answer) =>
    listKind(fakeClient({ '/api/v1/pods?resourceVersion=0': answer }), type, {}, { retry });

  test('a page to log in is no list', async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    const { read, problems } = await list({ headers, body: '<html>' });
    expect([read, problems.map(({ reason, message }) => [reason, message])]).toEqual([
      undefined,
      [['unreadable', 'cannot list pods: the answer is text/html; charset=utf-8']],
    ]);
  });

  test.each(noList)('%.80s', async (body = '', reason) => {
    const { records, read, problems } = await list({ body });
    expect([records, read, problems]).toEqual([
      [],
      undefined,
      [
        {
          reason: 'unreadable',
          message: `cannot list pods: ${reason}`,
          resource: 'pods',
          apiVersion: 'v1',
          verb: 'list',
        },
      ],
    ]);
  });

  test('a Status is taken for that refusal', async () => {
    const { read, problems } = await list({ body: status });
    expect([read, problems.map(({ reason, message }) => [reason, message])]).toEqual([
      undefined,
      [['forbidden', 'cannot list pods: the answer is a Status of 401: Unauthorized']],
    ]);
  });

  test.each([
    ['a Status in protobuf', enveloped('Status', Buffer.alloc(0)), 'it is a Status, not a list'],
    [
      'a protobuf ServiceList',
      enveloped('ServiceList', Buffer.alloc(0)),
      'it is a ServiceList, not of Pods',
    ],
    ['a nameless item', encodeList([{ name: '' }]), 'an item without a name'],
  ])('%s', async (_, body, reason) => {
    const { read, problems } = await list(protobuf(body));
    expect([read, problems.map(({ message }) => message)]).toEqual([
      undefined,
      [`cannot list pods: malformed protobuf: ${reason}`],
    ]);
  });

  test.each([
    ['as a list', { kind: 'PodList', items: [] }],
    ['as null, as Go writes it', { kind: 'PartialObjectMetadataList', items: null }],
    ['of another kind', { kind: 'Pile', items: [] }],
    ['without a kind', { kind: 'List', items: [] }],
  ])('accepts an empty list %s', async (_, body) => {
    expect(await list({ body })).toMatchObject({
      records: [],
      read: { resource: 'pods' },
      problems: [],
    });
  });
});

test.each(
  rowsOf(`
    {}                                                 | unreadable  | the answer is not the object that was asked for
    {"kind": "PodList", "items": []}                   | unreadable  | the answer is not the object that was asked for
    {"metadata": {"name": "db"}}                       | unreadable  | the answer is not the object that was asked for
    {"kind": "Status", "message": "gone", "code": 404} | unavailable | the answer is a Status of 404: gone
  `),
)('takes %s for no answer', async (body = '', reason = '', said) => {
  const client = fakeClient({ '/api/v1/namespaces/shop/pods/web': { body } });
  const got = await getObject(
    client,
    { type: pod('web').type, namespace: 'shop', name: 'web' },
    { retry },
  );
  expect([got.record, got.problem?.reason, got.problem?.message]).toEqual([
    undefined,
    reason,
    `cannot get pods/web in shop: ${said}`,
  ]);
});

test('an object whose name leads elsewhere is not asked for', async () => {
  const client = fakeClient({});
  const { problem } = await getObject(client, {
    type: pod('web').type,
    namespace: 'shop',
    name: '..',
  });
  expect([client.paths, problem?.reason, problem?.message]).toEqual([
    [],
    'unreadable',
    `cannot get pods/.. in shop: invalid resource name "..": [may not be '..']`,
  ]);
});

test.each([
  [['default', 'kube-system', 'shop'], undefined],
  [['kube-system', 'shop'], 'default'],
  [['shop'], 'default and kube-system'],
  [[], 'default and kube-system'],
])('reading the namespaces %j', async (names, missing) => {
  const type = builtIn('namespaces');
  const discovery = { types: servedTypes, serverVersion: 'v1.36.3' };
  const answer = protobuf(encodeList(names.map((name) => ({ name, uid: `uid-${name}` }))));
  const client = fakeClient({
    '/api/v1/namespaces?resourceVersion=0': answer,
  });
  const { records, coverage } = await fromCluster(client, { types: [type] }, { retry, discovery });
  expect(records.map(({ name }) => name)).toEqual(names);
  for (const { message } of coverage.problems) {
    expect(message.replace(`lacks ${missing},`, 'lacks MISSING,')).toMatchInlineSnapshot(
      `"the list of namespaces is incomplete: every cluster has default and kube-system, and it lacks MISSING, so other objects may be missing too"`,
    );
  }
  expect([coverage.read, coverage.problems]).toEqual(
    missing === undefined
      ? [[{ resource: 'namespaces' }], []]
      : [
          [],
          [
            {
              reason: 'truncated',
              message: expect.stringContaining(`lacks ${missing}, `),
              resource: 'namespaces',
              apiVersion: 'v1',
            },
          ],
        ],
  );
});

import { describe, expect, test } from 'vitest';
import { discover } from '../../../src/cluster/list/discover.ts';
import { casesByResult } from '../../support/rows.ts';
import { aggregated, group, served, version } from '../discovery-answer.ts';
import { fakeClient, patience } from '../fake-client.ts';

const retry = patience();

/** What some servers answer with HTTP status 200, and why it is not the answer. */
const noDiscovery = casesByResult(`
  the answer is not JSON            | | <html>Log in</html>
  the answer is not an object       | "items" | []
  the answer is not a list of APIs  | {} | {"error": "login required"} | {"items": null} | {"items": {}}
                                    | {"kind": "APIGroupDiscoveryList"} | {"kind": "PodList", "items": []}
  the answer is a Status of 401: Unauthorized | {"kind": "Status", "message": "Unauthorized", "code": 401}
  the answer names no API           | {"kind": "APIGroupDiscoveryList", "items": []}
`);

const pods = served('pods');
const core = aggregated(group(undefined, version('v1', pods)));
const apps = aggregated(group('apps', { version: 'v1', resources: [] }));

describe('a server that does not answer as one of Kubernetes', () => {
  test.each(noDiscovery)('%j', async (body = '', reason) => {
    for (const [root, answers] of [
      ['/api', { '/api': { body }, '/apis': apps }],
      ['/apis', { '/api': core, '/apis': { body } }],
    ] as const) {
      await expect(discover(fakeClient(answers), { retry })).rejects.toMatchObject({
        code: 'no-api-server',
        exitCode: 3,
        message: expect.stringContaining(` ${root}: ${reason}`),
      });
    }
  });

  test('a core API without a kind', async () => {
    const client = fakeClient({ '/api': aggregated({ metadata: {} }), '/apis': apps });
    await expect(discover(client, { retry })).rejects.toMatchObject({ code: 'no-api-server' });
  });
});

/** What is wrong with one API, and which of them then count as failed. */
const oddApis: readonly [string, unknown, string][] = [
  ['a null', null, '?'],
  ['a string', 'apps', '?'],
  ['a nameless group', { versions: [] }, '?'],
  ['a number as name', group(5), '?'],
  ['a path as name', group('..'), '?'],
  ['versions that are none', { metadata: { name: 'odd' }, versions: 'v1' }, 'odd'],
  ['null as version', group('odd', null), 'odd'],
  ['an object as version', group('odd', { version: {} }), 'odd'],
  ['a path as version', group('odd', { version: '..' }), 'odd'],
  ['kinds that are none', group('odd', { version: 'v1', resources: 'pods' }), 'odd/v1'],
  ...(
    [
      ['null', null],
      ['a string', 'pods'],
      ['one without a name', { responseKind: { kind: 'A' } }],
      ['a path as name', { resource: '..', responseKind: { kind: 'A' } }],
      ['an object as kind', { resource: 'as', responseKind: { kind: {} } }],
      ['a string as responseKind', { resource: 'as', responseKind: 'A' }],
      ['verbs that are none', { resource: 'as', responseKind: { kind: 'A' }, verbs: 'get' }],
      ['invalid short names', { resource: 'as', responseKind: { kind: 'A' }, shortNames: [1] }],
    ] as const
  ).map(([name, resource]): [string, unknown, string] => [
    `a kind that is ${name}`,
    group('odd', { version: 'v1', resources: [resource, pods] }),
    'odd/v1',
  ]),
];

test.each(oddApis)('one API is described by %s: it alone is unknown', async (_, odd, failed) => {
  const sound = group('sound', { version: 'v1', resources: [pods] });
  const client = fakeClient({ '/api': core, '/apis': aggregated(odd, sound) });
  const { types } = await discover(client, { retry });
  expect(
    types.failed.map(({ group, version }) => [group, version].filter(Boolean).join('/')),
  ).toEqual([failed]);
  expect(types.all.map(({ group }) => group)).toEqual(expect.arrayContaining(['', 'sound']));
  const mapped = types.mapKind(failed === '?' ? 'any.example.com/v1' : 'odd/v1', 'Thing');
  expect(mapped).toEqual({ kind: 'unknown', because: types.failed[0]?.message });
});

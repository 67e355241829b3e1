import { expect, test } from 'vitest';
import { listKind } from '../../../src/cluster/list/list-kind.ts';
import { builtIn } from '../built-in.ts';
import { encodeList } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

const secrets = builtIn('secrets');
const path = '/api/v1/secrets?';
const everything = `${path}resourceVersion=0`;
const serviceAccountTokens = `${path}fieldSelector=type%3Dkubernetes.io%2Fservice-account-token&resourceVersion=0`;
const bootstrapTokens = `${path}fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken&resourceVersion=0`;

function list(...names: readonly string[]): Answer {
  return protobuf(encodeList(names.map((name) => ({ name, namespace: 'a', uid: `uid-${name}` }))));
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const data = { expiration: base64('2026-01-01T00:00:00Z'), 'token-secret': base64('hush') };
const bootstrap = {
  metadata: { name: 'join', namespace: 'a', uid: 'uid-join' },
  type: 'bootstrap.kubernetes.io/token',
  data,
};

test('distinguishes tokens from other Secrets without reading their data', async () => {
  const client = fakeClient({
    [everything]: list('password', 'token', 'join'),
    [serviceAccountTokens]: list('token', 'created-meanwhile'),
    [bootstrapTokens]: { body: { kind: 'SecretList', metadata: {}, items: [bootstrap] } },
  });
  const { records, read, problems } = await listKind(client, secrets, {}, { facts: true });
  expect(records.map(({ name, facts }) => [name, facts])).toEqual([
    ['password', undefined],
    ['token', { secretType: 'kubernetes.io/service-account-token' }],
    ['join', { secretType: 'bootstrap.kubernetes.io/token', expiration: '2026-01-01T00:00:00Z' }],
  ]);
  expect([read, problems]).toEqual([{ resource: 'secrets' }, []]);
  expect(JSON.stringify(records)).not.toMatch(/hush|aHVza/);
  const metadata = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList';
  expect(client.requests.map(({ headers }) => headers?.accept?.split(';g=')[0])).toEqual([
    metadata,
    metadata,
    'application/json',
  ]);
  expect(client.busiest()).toBe(2);
});

test.each([
  ['there is none', list(), { facts: true }],
  ['facts are not wanted', list('password'), {}],
])('asks once where %s', async (_, answer, options) => {
  const client = fakeClient({ [everything]: answer });
  await listKind(client, secrets, {}, options);
  expect(client.paths).toEqual([everything]);
});

test('has not read them if the server does not send their types', async () => {
  const client = fakeClient({
    [everything]: list('password'),
    [serviceAccountTokens]: refusal(403, 'no'),
  });
  const options = { facts: true, retry: patience() };
  const { records, read, problems } = await listKind(client, secrets, {}, options);
  expect([records, read, problems]).toEqual([
    [],
    undefined,
    [
      {
        reason: 'forbidden',
        verb: 'list',
        status: 403,
        message: 'cannot list secrets: no',
        resource: 'secrets',
        apiVersion: 'v1',
      },
    ],
  ]);
});

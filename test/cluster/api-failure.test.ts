import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../src/cluster/api-failure.ts';
import { type Answer, fakeClient, protobuf, refusal } from './fake-client.ts';
import { delimited, enveloped } from './wire-writer.ts';

async function failure(answer: Answer) {
  const response = await fakeClient({ '/': answer }).request({ path: '/' });
  const { status, message, continueToken } = await failureOf(response);
  return { status, message, continueToken };
}

describe('failureOf', () => {
  test('reads a Status in JSON', async () => {
    expect(await failure(refusal(410, 'too old', { continue: 'next' }))).toEqual({
      status: 410,
      message: 'too old',
      continueToken: 'next',
    });
  });

  test('reads a Status in protobuf, as a real API server writes it', async () => {
    const bytes = readFileSync(new URL('recorded/forbidden.pb', import.meta.url));
    expect(await failure({ ...protobuf(bytes), status: 403 })).toEqual({
      status: 403,
      message:
        'pods is forbidden: User "limited" cannot list resource "pods" in API group "" at the cluster scope',
      continueToken: undefined,
    });
  });

  test('finds the token to go on with in protobuf, too', async () => {
    const status = Buffer.concat([delimited(1, delimited(3, 'next')), delimited(3, 'too old')]);
    expect(await failure({ ...protobuf(enveloped('Status', status)), status: 410 })).toEqual({
      status: 410,
      message: 'too old',
      continueToken: 'next',
    });
  });

  test('names what cannot be read from etcd, in JSON and protobuf, and not what is stored there', async () => {
    const causes = ['a', 'b', 'c', 'd'].map((name) => ({
      field: `/registry/secrets/shop/${name}`,
      message: `StorageError: corrupt object, AdditionalErrorMsg: object not decodable revision=7: "hunter2"`,
    }));
    const told = 'failed to read one or more secrets from the storage';
    const expected = {
      status: 500,
      message: `${told}: /registry/secrets/shop/a (object not decodable), /registry/secrets/shop/b (object not decodable), /registry/secrets/shop/c (object not decodable) and 1 more`,
      continueToken: undefined,
    };
    const reason = 'StorageReadError';
    const status = { kind: 'Status', message: told, reason, details: { name: 'list', causes } };
    expect(await failure({ status: 500, body: status })).toEqual(expected);
    // As v1.37 words it.
    const words = causes.map(({ message }) => message).join(', ');
    const repeated = { ...status, message: `${told}: ${words}` };
    expect(await failure({ status: 500, body: repeated })).toEqual(expected);
    const encoded = causes.map(({ field, message }) =>
      delimited(4, Buffer.concat([delimited(2, message), delimited(3, field)])),
    );
    const bytes = Buffer.concat([
      delimited(3, told),
      delimited(4, reason),
      delimited(5, Buffer.concat(encoded)),
    ]);
    expect(await failure({ ...protobuf(enveloped('Status', bytes)), status: 500 })).toEqual(
      expected,
    );
    expect((await failure({ status: 500, body: { ...status, reason: 'Other' } })).message).toBe(
      told,
    );
  });

  const namesIt = delimited(5, delimited(1, 'web-1'));
  test.each<[string, Answer, boolean]>([
    ['that names the object', refusal(404, 'not found'), true],
    ['that names it, in protobuf', protobuf(enveloped('Status', namesIt)), true],
    ['of a path that nothing serves', { body: '404 page not found\n' }, false],
    ['of a kind', { body: { kind: 'Status', reason: 'NotFound', details: {} } }, false],
    ['of a proxy', { body: '<html>not here</html>' }, false],
  ])('takes a 404 %s for the absence of an object, or not', async (_, answer, isAbsence) => {
    const client = fakeClient({ '/': { ...answer, status: 404 } });
    expect((await failureOf(await client.request({ path: '/' }))).isAbsence).toBe(isAbsence);
  });

  test('reads a line of text', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect(await failure({ status: 503, headers, body: 'service unavailable\nhint\n' })).toEqual({
      status: 503,
      message: 'service unavailable',
      continueToken: undefined,
    });
  });

  test('reads a Status that is sent as text, and never quotes it raw', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const body = '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not ready"}';
    expect(await failure({ status: 503, headers, body })).toEqual({
      status: 503,
      message: 'not ready',
      continueToken: undefined,
    });
  });

  test.each([
    ['a page of a proxy', '<html>'],
    ['an empty body', ''],
    ['JSON of another kind', '{"kind": "Pod", "message": "no"}'],
    ['JSON null', 'null'],
    ['an endless page', 'x'.repeat(2_000_000)],
  ])('makes do with the HTTP status: %s', async (_, body) => {
    expect(await failure({ status: 502, body })).toEqual({
      status: 502,
      message: 'the server answered with HTTP status 502',
      continueToken: undefined,
    });
  });
});

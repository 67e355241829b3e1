import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../src/cluster/api-failure.ts';
import { type Answer, fakeClient, protobuf, refusal } from './fake-client.ts';
import { delimited, enveloped } from './wire-writer.ts';

const failure = async (answer: Answer) =>
  failureOf(await fakeClient({ '/': answer }).request({ path: '/' }));

/** Status, words and the token to go on with. */
const told = async (answer: Answer) => {
  const { status, message, continueToken } = await failure(answer);
  return [status, message, continueToken];
};

const asText = { 'content-type': 'text/plain; charset=utf-8' };

describe('failureOf', () => {
  const forbidden = readFileSync(new URL('recorded/forbidden.pb', import.meta.url));
  const expired = Buffer.concat([delimited(1, delimited(3, 'next')), delimited(3, 'too old')]);
  const refused = '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not ready"}';
  test.each<[string, Answer, ...(number | string | undefined)[]]>([
    ['a Status in JSON', refusal(410, 'too old', { continue: 'next' }), 410, 'too old', 'next'],
    [
      'a Status in protobuf, as a real API server writes it',
      { ...protobuf(forbidden), status: 403 },
      403,
      'pods is forbidden: User "limited" cannot list resource "pods" in API group "" at the cluster scope',
      undefined,
    ],
    [
      'a continue token',
      { ...protobuf(enveloped('Status', expired)), status: 410 },
      410,
      'too old',
      'next',
    ],
    [
      'a line of text',
      { status: 503, headers: asText, body: 'service unavailable\nhint\n' },
      503,
      'service unavailable',
      undefined,
    ],
    [
      'a Status as text, and never quotes it raw',
      { status: 503, headers: asText, body: refused },
      503,
      'not ready',
      undefined,
    ],
  ])('reads %s', async (_, answer, ...expected) => {
    expect(await told(answer)).toEqual(expected);
  });

  test('names what cannot be read from etcd, in JSON and protobuf, and not what is stored there', async () => {
    const causes = ['a', 'b', 'c', 'd'].map((name) => ({
      field: `/registry/secrets/shop/${name}`,
      message: `StorageError: corrupt object, AdditionalErrorMsg: object not decodable revision=7: "hunter2"`,
    }));
    const words = 'failed to read secrets';
    const expected = [
      500,
      `${words}: /registry/secrets/shop/a (object not decodable), /registry/secrets/shop/b (object not decodable), /registry/secrets/shop/c (object not decodable) and 1 more`,
      undefined,
    ];
    const reason = 'StorageReadError';
    const status = { kind: 'Status', message: words, reason, details: { name: 'list', causes } };
    expect(await told({ status: 500, body: status })).toEqual(expected);
    // As v1.37 words it.
    const repeated = `${words}: ${causes.map(({ message }) => message).join(', ')}`;
    expect(await told({ status: 500, body: { ...status, message: repeated } })).toEqual(expected);
    const encoded = causes.map(({ field, message }) =>
      delimited(4, Buffer.concat([delimited(2, message), delimited(3, field)])),
    );
    const bytes = Buffer.concat([
      delimited(3, words),
      delimited(4, reason),
      delimited(5, Buffer.concat(encoded)),
    ]);
    expect(await told({ ...protobuf(enveloped('Status', bytes)), status: 500 })).toEqual(expected);
    const other = { status: 500, body: { ...status, reason: 'Other' } };
    expect(await told(other)).toEqual([500, words, undefined]);
  });

  const namesIt = delimited(5, delimited(1, 'web-1'));
  test.each<[string, Answer, boolean]>([
    ['that names the object', refusal(404, 'not found'), true],
    ['that names it, in protobuf', protobuf(enveloped('Status', namesIt)), true],
    ['of an unserved path', { body: '404 page not found\n' }, false],
    ['of a kind', { body: { kind: 'Status', reason: 'NotFound', details: {} } }, false],
    ['of a proxy', { body: '<html>not here</html>' }, false],
  ])('decides if a 404 %s means absence', async (_, answer, isAbsence) => {
    expect((await failure({ ...answer, status: 404 })).isAbsence).toBe(isAbsence);
  });

  test.each([
    ['HTML', '<html>'],
    ['an empty body', ''],
    ['JSON of another kind', '{"kind": "Pod", "message": "no"}'],
    ['JSON null', 'null'],
    ['an endless page', 'x'.repeat(2_000_000)],
  ])('makes do with the HTTP status: %s', async (_, body) => {
    const message = 'the server answered with HTTP status 502';
    expect(await told({ status: 502, body })).toEqual([502, message, undefined]);
  });
});

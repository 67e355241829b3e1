import { describe, expect, test } from 'vitest';
import { networkError, timedOut } from '../../src/cluster/network-error.ts';
import { GcError } from '../../src/errors.ts';
import { rowsOf } from '../support/rows.ts';

const peer = { name: 'the API server https://a.test' };
const system = (code: string) => Object.assign(new Error('internal words'), { code });

describe('networkError', () => {
  const explained = rowsOf(`
    ECONNREFUSED                              | connection-refused    | the connection was refused
    ENOTFOUND                                 | unknown-host          | its host name cannot be resolved
    EAI_AGAIN                                 | unknown-host          | its host name cannot be resolved
    EHOSTUNREACH                              | unreachable           | there is no route to it
    ENETUNREACH                               | unreachable           | there is no route to it
    ETIMEDOUT                                 | connect-timeout       | it did not answer in time
    UNABLE_TO_VERIFY_LEAF_SIGNATURE           | tls-unknown-authority | its certificate is signed by an unknown authority
    DEPTH_ZERO_SELF_SIGNED_CERT               | tls-unknown-authority | its certificate is signed by an unknown authority
    ERR_TLS_CERT_ALTNAME_INVALID              | tls-hostname-mismatch | its certificate is for another host name
    CERT_HAS_EXPIRED                          | tls-expired           | its certificate has expired
    CERT_NOT_YET_VALID                        | tls-not-yet-valid     | its certificate is not valid yet
    ERR_SSL_WRONG_VERSION_NUMBER              | tls-not-spoken        | it does not speak TLS
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED | tls-refused
        | it refused the TLS connection, most likely for the client certificate
    HPE_INVALID_CONSTANT                      | not-http              | its answer is not HTTP
    Z_DATA_ERROR                              | invalid-compression   | its compressed answer cannot be read
    ECONNRESET                                | connection-dropped    | the connection was closed before the answer was complete
    ESOMETHING                                | request-failed        | ESOMETHING
  `);

  test.each(explained)('%s is %s', (systemCode = '', code, why) => {
    const error = networkError(system(systemCode), peer);
    expect({ code: error.code, message: error.message, advice: error.suggestions.length }).toEqual({
      code,
      message: `could not reach the API server https://a.test: ${why}`,
      advice: 1,
    });
  });

  test('looks into errors that stand for several attempts', () => {
    const both = new AggregateError([system('ECONNREFUSED'), system('ENETUNREACH')]);
    const wrapped = new Error('outer', { cause: system('ENOTFOUND') });
    expect([both, wrapped].map((error) => networkError(error, peer).code)).toEqual([
      'connection-refused',
      'unknown-host',
    ]);
  });

  test('leaves errors that are explained already', () => {
    const error = new GcError('explained', { code: 'exec-plugin-failed' });
    expect(networkError(error, peer)).toBe(error);
  });

  test('uses the words of errors without a code', () => {
    expect(networkError(new Error('odd'), peer).message).toBe(
      'could not reach the API server https://a.test: odd',
    );
  });

  test('names the proxy without its password, and not the words of Node, which hold it', () => {
    const proxy = new URL('http://me:secret@proxy.test:3128');
    const refused = Object.assign(new Error('tunnel via http://me:secret@proxy.test failed'), {
      code: 'ERR_PROXY_TUNNEL',
      statusCode: 407,
    });
    const error = networkError(refused, { ...peer, proxy });
    expect([error.code, error.cause]).toEqual(['proxy-failed', undefined]);
    expect(error.message).toMatchInlineSnapshot(
      `"could not reach the API server https://a.test through the proxy http://proxy.test:3128: the proxy opens no tunnel (HTTP 407)"`,
    );
  });
});

describe('timedOut', () => {
  test.each([
    [300, '300 ms'],
    [1500, '1.5 s'],
    [30_000, '30 s'],
  ])('%d ms', (milliseconds, limit) => {
    expect(timedOut(peer, milliseconds).message).toContain(` ${limit}`);
  });
});

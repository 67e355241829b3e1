import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateOf } from '../../../src/kube/facts/certificate.ts';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';

/** Its end is beyond 2049, which X.509 writes in another form. */
const farAway = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIUKW6c/foCCa69pc3A1PS/2L31GP4wCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDZmFyMCAXDTI2MTEyMTExMzczOVoYDzIwNjIwNjI1MTEzNzM5
WjAOMQwwCgYDVQQDDANmYXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASbqbSx
I0E9sU3EfkLR66Xu2q/n8S98LNnc5ix1V4unaUVqKny9U0rZ8O7b769wN4mgfrFX
soowG79+ORU0vRjQo1MwUTAdBgNVHQ4EFgQUf1tKsJbLcX8fJR9oxuk097XKNrow
HwYDVR0jBBgwFoAUf1tKsJbLcX8fJR9oxuk097XKNrowDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNIADBFAiEAufLzWVAUW0dPBSQdEuJctrPXcmdlVfv67s40
Oy5DvToCIDu/l9fU8+SR5PkraEley/5rKFob74XEgSo9aVazEHnJ
-----END CERTIFICATE-----
`;
const { certificate } = issueCertificate(certificateAuthority('test'), { commonName: 'web' });

function endOf(pem: string): string {
  return new Date(new X509Certificate(pem).validTo).toISOString().replace('.000Z', 'Z');
}

test.each([
  ['of this day', certificate],
  ['that ends beyond 2049', farAway],
  ['after text', `subject=web\n${certificate}`],
  ['before others', `${certificate}${farAway}`],
])('reads notAfter of a certificate %s', (_, pem) => {
  expect(certificateOf(pem)).toEqual({ notAfter: endOf(pem.slice(pem.indexOf('-----'))) });
});

const [header, body = '', footer] = farAway.split(/(?<=-----)\n|\n(?=-----)/);

test.each([
  ['nothing', ''],
  ['no PEM', 'hush'],
  ['no base64', `${header}\n!?\n${footer}`],
  ['nothing within', `${header}\n${footer}`],
  ['an end too soon', `${header}\n${body.slice(0, 80)}\n${footer}`],
  ['no certificate', `${header}\n${btoa('hush, this is no certificate')}\n${footer}`],
  ['a list of nothing', `${header}\n${btoa('\x30\x02\x30\x00')}\n${footer}`],
])('%s has no end', (_, pem) => {
  expect(certificateOf(pem)).toEqual({});
});

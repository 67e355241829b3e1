import { expect, test } from 'vitest';
import { certificatesIn } from '../../../src/cluster/connection/secure-options.ts';
import { certificateAuthority } from '../../support/certificates.ts';

const [one, two] = ['one', 'two'].map((name) => certificateAuthority(name).certificate.trim());
const block = (content: string) =>
  `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`;

test.each([
  [
    'a block that is none, and text, between certificates',
    `${block('AAAA')}${one}\n# two\n${two}\n`,
    [one, two],
  ],
  ['a certificate that is cut off', `${one}\n${two?.slice(0, 200)}`, [one]],
  ['none that can be read', block('AAAA'), []],
  ['nothing', '', []],
])('a bundle with %s', (_, bundle, certificates) => {
  expect(certificatesIn(bundle).map((certificate) => certificate.trim())).toEqual(certificates);
});

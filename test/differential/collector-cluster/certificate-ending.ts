import { certificateAuthority } from '../../support/certificates.ts';

const { certificate } = certificateAuthority('example.com');
const [, base64 = ''] = /-----BEGIN CERTIFICATE-----([^-]+)/.exec(certificate) ?? [];
/** UTCTime, 13 characters. */
const tag = Buffer.from([0x17, 13]);

/** A certificate, PEM, that ends at a time in epoch milliseconds; its signature is not right any more. */
export function certificateEnding(time: number): string {
  const der = Buffer.from(base64, 'base64');
  const notAfter = der.indexOf(tag, der.indexOf(tag) + 1) + tag.length;
  der.write(`${new Date(time).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`, notAfter);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

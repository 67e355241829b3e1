import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate that signs itself, and its key: both PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** Clocks of machines differ, by minutes at most. */
const early = 3_600_000;

/**
 * Makes a certificate for a server with these host names and IPv4 addresses (RFC 5280): Node can sign, but has no encoder
 * for certificates. `lasts`: milliseconds.
 */
export function makeCertificate(
  names: readonly string[],
  { now, lasts }: { readonly now: number; readonly lasts: number },
): ServingCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const expires = now + lasts;
  const subject = sequence(
    der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from('kubectl-gc-guard')))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    sequence(derTime(now - early), derTime(expires)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(...extensionsFor(names))),
  );
  const certificate = sequence(body, ecdsaWithSha256, bits(signature(body, privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    expires,
  };
}

function extensionsFor(names: readonly string[]): Buffer[] {
  const alternatives = names.map((name) =>
    isIP(name) === 4
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return [
    // keyUsage: digitalSignature and keyCertSign, since it signs itself.
    extension('2.5.29.15', der(0x03, Buffer.from([2, 0x84]))),
    extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff])))),
    // extendedKeyUsage: serverAuth.
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', sequence(...alternatives)),
  ];
}

function signature(body: Buffer, key: KeyObject): Buffer {
  return sign('sha256', body, key);
}

function extension(type: string, value: Buffer): Buffer {
  return sequence(oid(type), der(0x04, value));
}

function derTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const septets = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) septets.unshift((left & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function bits(bytes: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

/** Tag, length, contents. */
function der(tag: number, contents: Buffer): Buffer {
  const { length } = contents;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

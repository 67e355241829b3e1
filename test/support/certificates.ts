import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, both PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Certificate {
  readonly commonName: string;
}

export interface Subject {
  readonly commonName: string;
  /** Groups, as the API server reads a client certificate. */
  readonly organizations?: readonly string[];
  readonly addresses?: readonly string[];
  readonly dnsNames?: readonly string[];
}

/** A new certificate authority: Node can sign, but has no encoder for certificates. */
export function certificateAuthority(commonName: string): Authority {
  const { publicKey, privateKey } = keyPair();
  const extensions = [
    extension('2.5.29.19', true, sequence(encode(0x01, Buffer.from([0xff])))),
    // digitalSignature and keyCertSign.
    extension('2.5.29.15', true, encode(0x03, Buffer.from([2, 0x84]))),
  ];
  const issuer = nameOf({ commonName });
  const certificate = signed(issuer, issuer, publicKey, extensions, privateKey);
  return { certificate, key: pemOf(privateKey), commonName };
}

/** A certificate for a server on `addresses` and for a client called `commonName`, valid for a day. */
export function issueCertificate(authority: Authority, subject: Subject): Certificate {
  const { publicKey, privateKey } = keyPair();
  const names = [
    ...(subject.dnsNames ?? []).map((name) => encode(0x82, Buffer.from(name))),
    ...(subject.addresses ?? []).map((address) =>
      encode(0x87, Buffer.from(address.split('.').map(Number))),
    ),
  ];
  const extensions = [
    extension('2.5.29.15', true, encode(0x03, Buffer.from([7, 0x80]))),
    extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
    ...(names.length ? [extension('2.5.29.17', false, sequence(...names))] : []),
  ];
  const issuer = nameOf({ commonName: authority.commonName });
  const certificate = signed(issuer, nameOf(subject), publicKey, extensions, authority.key);
  return { certificate, key: pemOf(privateKey) };
}

/** A private key for signing service account tokens, PEM. */
export function signingKey(): string {
  return pemOf(keyPair().privateKey);
}

function keyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'sec1' }).toString();
}

const ecdsaWithSha256 = () => sequence(oid('1.2.840.10045.4.3.2'));

function signed(
  issuer: Buffer,
  subject: Buffer,
  publicKey: KeyObject,
  extensions: readonly Buffer[],
  signer: KeyObject | string,
): string {
  const now = Date.now();
  const body = sequence(
    encode(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256(),
    issuer,
    sequence(utcTime(now - 3_600_000), utcTime(now + 86_400_000)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    encode(0xa3, sequence(...extensions)),
  );
  const certificate = sequence(body, ecdsaWithSha256(), bitString(sign('sha256', body, signer)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf(subject: Subject): Buffer {
  const attribute = (type: string, value: string) =>
    encode(0x31, sequence(oid(type), encode(0x0c, Buffer.from(value))));
  return sequence(
    ...(subject.organizations ?? []).map((value) => attribute('2.5.4.10', value)),
    attribute('2.5.4.3', subject.commonName),
  );
}

function extension(type: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [encode(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(type), ...flag, encode(0x04, value));
}

function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return encode(0x17, Buffer.from(`${digits}Z`));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const septets = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) septets.unshift((left & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return encode(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return encode(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return encode(0x02, bytes);
}

function bitString(bytes: Buffer): Buffer {
  return encode(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

/** DER: tag, length, contents. */
function encode(tag: number, contents: Buffer): Buffer {
  const { length } = contents;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

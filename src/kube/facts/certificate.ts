import { millisecondsIn } from '../json-value.ts';
import { conditions } from './condition.ts';
import { at, type Shape, seconds, text } from './shape.ts';

/** What is kept of an issued certificate: that there is one, and when it ends (RFC 3339); unset when it cannot be read. */
const certificate: Shape<{ readonly notAfter?: string }> = { form: 'certificate' };

export const certificateRequestFields = {
  signerName: at('spec.signerName', '2.7', text),
  expirationSeconds: at('spec.expirationSeconds', '2.8', seconds),
  conditions: at(
    'status.conditions',
    '3.1',
    conditions({ status: 6, reason: 2, message: 3, lastUpdateTime: 4, lastTransitionTime: 5 }),
  ),
  /** Unset until one is issued. */
  certificate: at('status.certificate', '3.2', certificate),
};

/** Of the first block of a PEM string, as the CSR cleaner reads it (CSR-5). */
export function certificateOf(pem: string): { readonly notAfter?: string } {
  const [, base64 = ''] = /-----BEGIN [^-]+-----([^-]*)-----END /.exec(pem) ?? [];
  try {
    const notAfter = notAfterOf(atob(base64.replace(/\s/g, '')));
    return notAfter === undefined || millisecondsIn(notAfter) === undefined ? {} : { notAfter };
  } catch {
    return {};
  }
}

const SEQUENCE = 0x30;
const VERSION = 0xa0;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Certificate > TBSCertificate > [version], serialNumber, signature, issuer, validity > notBefore, notAfter. */
function notAfterOf(der: string): string | undefined {
  const certificate = elementAt(der, 0, SEQUENCE);
  const unsigned = certificate && elementAt(der, certificate.start, SEQUENCE);
  if (!unsigned) return undefined;
  let next: Element | undefined = elementAt(der, unsigned.start);
  if (next?.tag === VERSION) next = elementAt(der, next.end);
  for (let skipped = 0; skipped < 3; skipped++) next = next && elementAt(der, next.end);
  if (next?.tag !== SEQUENCE) return undefined;
  const notBefore = elementAt(der, next.start);
  const notAfter = notBefore && elementAt(der, notBefore.end);
  return notAfter && certificateTime(notAfter.tag, der.slice(notAfter.start, notAfter.end));
}

function elementAt(der: string, at: number, wanted?: number): Element | undefined {
  const tag = der.charCodeAt(at);
  let length = der.charCodeAt(at + 1);
  let start = at + 2;
  if (length >= 0x80) {
    const bytes = length & 0x7f;
    length = 0;
    for (const end = start + bytes; start < end; start++) {
      length = length * 256 + der.charCodeAt(start);
    }
  }
  const end = start + length;
  if (!(end <= der.length) || (wanted !== undefined && tag !== wanted)) return undefined;
  return { tag, start, end };
}

function certificateTime(tag: number, text: string): string | undefined {
  if (tag !== UTC_TIME && tag !== GENERALIZED_TIME) return undefined;
  // Two digits of a year mean 1950 to 2049 (RFC 5280).
  const full = tag === UTC_TIME ? `${text < '5' ? '20' : '19'}${text}` : text;
  const [, date, clock] = /^(\d{8})(\d{6})Z$/.exec(full) ?? [];
  if (!date || !clock) return undefined;
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return `${day}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4)}Z`;
}

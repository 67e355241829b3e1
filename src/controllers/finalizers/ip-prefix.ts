/** A range of addresses, as in `10.0.0.0/16`. */
export interface IpPrefix {
  /** Bits of its addresses: 32 or 128. */
  readonly width: number;
  readonly address: bigint;
  /** How many leading bits all its addresses share. */
  readonly length: number;
}

/** Undefined for text that is neither an address nor a prefix of IPv4 or IPv6. An address is a prefix of full length. */
export function parseIpPrefix(text: string): IpPrefix | undefined {
  const [written = '', bits] = text.split('/');
  const isV6 = written.includes(':');
  const width = isV6 ? 128 : 32;
  const address = isV6 ? v6(written) : v4(written);
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (address === undefined || length < 0 || length > width) return undefined;
  return { width, address, length };
}

/** Is every address of the other one in it? */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.width !== inner.width || outer.length > inner.length) return false;
  const rest = BigInt(outer.width - outer.length);
  return outer.address >> rest === inner.address >> rest;
}

function v4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256))
    return undefined;
  return joinedParts(parts.map(Number), 8n);
}

function v6(text: string): bigint | undefined {
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined) return undefined;
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const parts = [...before, ...Array<string>(missing).fill('0'), ...after];
  if (!parts.every((part) => /^[\da-f]{1,4}$/i.test(part))) return undefined;
  return joinedParts(
    parts.map((part) => Number.parseInt(part, 16)),
    16n,
  );
}

function joinedParts(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((whole, part) => (whole << bits) | BigInt(part), 0n);
}

/**
 * May Services have this address of the range? Not its first one, nor the last one of IPv4. Mirrors PrefixContainsIP,
 * pkg/api/servicecidr/servicecidr.go.
 */
export function holdsAddress(range: IpPrefix, address: IpPrefix): boolean {
  if (!containsPrefix(range, address)) return false;
  const rest = BigInt(range.width - range.length);
  const host = address.address & ((1n << rest) - 1n);
  return host !== 0n && (range.width === 128 || host !== (1n << rest) - 1n);
}

/** Bytes that are not the protobuf message they claim to be. */
export class WireError extends Error {
  constructor(what: string) {
    super(`malformed protobuf: ${what}`);
    this.name = 'WireError';
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;

/** Walks one protobuf message between `at` and `end`; every read moves `at` on. */
export class WireReader {
  readonly bytes: Buffer;
  at: number;
  end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** An unsigned integer; beyond 2^53 it loses precision, which lengths and tags never need. */
  varint(): number {
    const { bytes, end } = this;
    let at = this.at;
    let byte = at < end ? (bytes[at++] as number) : this.#cutOff();
    if (byte < 0x80) {
      this.at = at;
      return byte;
    }
    let value = byte & 0x7f;
    let factor = 0x80;
    for (let read = 1; read < 10; read++) {
      byte = at < end ? (bytes[at++] as number) : this.#cutOff();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.at = at;
        return value;
      }
      factor *= 0x80;
    }
    throw new WireError('a number of more than ten bytes');
  }

  /** A signed integer in two's complement, as int32 and int64 are written. */
  int64(): number {
    const start = this.at;
    const value = this.varint();
    if (this.at - start < 10) return value;
    let exact = 0n;
    for (let at = this.at - 1; at >= start; at--) {
      exact = (exact << 7n) | BigInt((this.bytes[at] as number) & 0x7f);
    }
    return Number(BigInt.asIntN(64, exact));
  }

  /** Reads a length and returns where the delimited value ends; `at` is where it starts. */
  delimited(): number {
    const length = this.varint();
    const end = this.at + length;
    if (end > this.end) this.#cutOff();
    return end;
  }

  /** Steps over a value without looking at it. */
  skip(wireType: number): void {
    if (wireType === DELIMITED) this.at = this.delimited();
    else if (wireType === VARINT) this.varint();
    else if (wireType === FIXED64) this.#advance(8);
    else if (wireType === FIXED32) this.#advance(4);
    else throw new WireError(`wire type ${wireType}`);
  }

  #advance(count: number): void {
    if (this.at + count > this.end) this.#cutOff();
    this.at += count;
  }

  #cutOff(): never {
    throw new WireError('a value runs over the end of its message');
  }
}

const magic = 'k8s\0';

/** Do these bytes start like a Kubernetes object in protobuf? */
export function isEnveloped(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic;
}

/** The object inside `k8s\0` and runtime.Unknown (2 raw); throws WireError when there is none. */
export function envelopedObject(bytes: Buffer): Buffer {
  if (!isEnveloped(bytes)) throw new WireError('it does not start with k8s and a zero byte');
  return fieldOf(bytes.subarray(magic.length), 2);
}

/** The last delimited value of a field in a message; empty when it is not there. */
export function fieldOf(message: Buffer, field: number): Buffer {
  return valuesOf(message, field).at(-1) ?? message.subarray(0, 0);
}

export function valuesOf(message: Buffer, field: number): Buffer[] {
  const reader = new WireReader(message);
  const values: Buffer[] = [];
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const end = reader.delimited();
    if (tag >>> 3 === field) values.push(message.subarray(reader.at, end));
    reader.at = end;
  }
  return values;
}

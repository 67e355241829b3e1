/** Writes protobuf by hand, so that the decoder is not tested against itself. */
function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

export function number(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

export function delimited(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

export function fixed32(field: number): Buffer {
  return Buffer.concat([varint(field * 8 + 5), Buffer.alloc(4, 0xff)]);
}

export function fixed64(field: number): Buffer {
  return Buffer.concat([varint(field * 8 + 1), Buffer.alloc(8, 0xff)]);
}

/** `k8s\0` and runtime.Unknown around an object's bytes. */
export function enveloped(kind: string, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([delimited(1, 'meta.k8s.io/v1'), delimited(2, kind)]);
  return Buffer.concat([
    Buffer.from('k8s\0', 'latin1'),
    delimited(1, typeMeta),
    delimited(2, raw),
    delimited(3, ''),
    delimited(4, ''),
  ]);
}

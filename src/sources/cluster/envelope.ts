import { DELIMITED, WireError, WireReader } from './wire-reader.ts';

const magic = 'k8s\0';

/** Do these bytes start like a Kubernetes object in protobuf? */
export function isEnveloped(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic;
}

/** The object inside `k8s\0` and runtime.Unknown (2 raw); throws WireError when there is none. */
export function contentOf(bytes: Buffer): Buffer {
  if (!isEnveloped(bytes)) throw new WireError('it does not start with k8s and a zero byte');
  return fieldOf(bytes.subarray(magic.length), 2);
}

/** The last delimited value of a field in a message; empty when it is not there. */
export function fieldOf(message: Buffer, field: number): Buffer {
  const reader = new WireReader(message);
  let value = message.subarray(0, 0);
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const end = reader.delimited();
    if (tag >>> 3 === field) value = message.subarray(reader.at, end);
    reader.at = end;
  }
  return value;
}

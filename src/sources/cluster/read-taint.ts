import type { Taint } from '../../kube/taint.ts';
import { timeOf } from './decode-metadata.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, type WireReader } from './wire-reader.ts';

/** Taint: 1 key, 2 value, 3 effect, 4 timeAdded. JSON leaves an empty value and no time out. */
export function readTaint(reader: WireReader, end: number, strings: StringPool): Taint {
  let key = '';
  let value = '';
  let effect = '';
  let timeAdded: string | undefined;
  while (reader.at < end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const field = tag >>> 3;
    const valueEnd = reader.delimited();
    if (field === 1) key = strings.shared(reader.bytes, reader.at, valueEnd);
    else if (field === 2) value = strings.shared(reader.bytes, reader.at, valueEnd);
    else if (field === 3) effect = strings.shared(reader.bytes, reader.at, valueEnd);
    else if (field === 4) timeAdded = timeOf(reader, valueEnd, strings);
    reader.at = valueEnd;
  }
  return { key, ...(value && { value }), effect, ...(timeAdded && { timeAdded }) };
}

import type { StringPool } from './string-pool.ts';
import { WireError, type WireReader } from './wire-reader.ts';

/** An empty message is the zero time, which JSON writes as null. */
export function timeOf(reader: WireReader, strings: StringPool): string | undefined {
  if (reader.at === reader.end) return undefined;
  let seconds = 0;
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else reader.skip(tag & 7);
  }
  return formatTimestamp(seconds, strings);
}

const secondsOfDay = 86_400;
const scratch = Buffer.from('0000-00-00T00:00:00Z', 'latin1');
let scratchDay = Number.NaN;

/**
 * RFC 3339 with whole seconds, as metav1.Time prints them. Objects of one list are mostly of few
 * days, so only the time of day is formatted again.
 */
function formatTimestamp(seconds: number, strings: StringPool): string {
  const day = Math.floor(seconds / secondsOfDay);
  if (day !== scratchDay) {
    const date = new Date(day * secondsOfDay * 1000);
    const year = date.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) throw new WireError(`a time of ${seconds} seconds`);
    scratch.write(date.toISOString().slice(0, 10), 'latin1');
    scratchDay = day;
  }
  const time = seconds - day * secondsOfDay;
  twoDigits(Math.floor(time / 3600), 11);
  twoDigits(Math.floor(time / 60) % 60, 14);
  twoDigits(time % 60, 17);
  return strings.shared(scratch, 0, scratch.length);
}

export function microTimeOf(reader: WireReader): string | undefined {
  if (reader.at === reader.end) return undefined;
  let seconds = 0;
  let nanoseconds = 0;
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else if (tag === 16) nanoseconds = reader.int64();
    else reader.skip(tag & 7);
  }
  return formatMicroTime(seconds, nanoseconds);
}

/** RFC 3339 with microseconds, as metav1.MicroTime prints them: hardly two are alike. */
function formatMicroTime(seconds: number, nanoseconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new WireError(`a time of ${seconds} seconds`);
  const micros = String(Math.floor(nanoseconds / 1000)).padStart(6, '0');
  return `${date.toISOString().slice(0, 19)}.${micros}Z`;
}

function twoDigits(value: number, at: number): void {
  scratch[at] = 48 + Math.floor(value / 10);
  scratch[at + 1] = 48 + (value % 10);
}

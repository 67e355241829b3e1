import type { StringPool } from './string-pool.ts';
import type { WireReader } from './wire-reader.ts';

const secondsOfDay = 86_400;
const scratch = Buffer.from('0000-00-00T00:00:00Z', 'latin1');
let scratchDay = Number.NaN;

/**
 * RFC 3339 with whole seconds, as metav1.Time prints them. Objects of one list are mostly of few
 * days, so only the time of day is formatted again.
 */
export function timeOf(reader: WireReader, strings: StringPool): string | undefined {
  // An empty message is the zero time, which JSON writes as null.
  if (reader.at === reader.end) return undefined;
  const [seconds] = timestampOf(reader);
  if (!isInRange(seconds)) return undefined;
  const day = Math.floor(seconds / secondsOfDay);
  if (day !== scratchDay) {
    scratch.write(dateOf(seconds).slice(0, 10), 'latin1');
    scratchDay = day;
  }
  const time = seconds - day * secondsOfDay;
  twoDigits(Math.floor(time / 3600), 11);
  twoDigits(Math.floor(time / 60) % 60, 14);
  twoDigits(time % 60, 17);
  return strings.shared(scratch, 0, scratch.length);
}

/** RFC 3339 with microseconds, as metav1.MicroTime prints them: hardly two are alike. */
export function microTimeOf(reader: WireReader): string | undefined {
  if (reader.at === reader.end) return undefined;
  const [seconds, nanoseconds] = timestampOf(reader);
  if (!isInRange(seconds)) return undefined;
  const micros = String(Math.floor(nanoseconds / 1000)).padStart(6, '0');
  return `${dateOf(seconds).slice(0, 19)}.${micros}Z`;
}

function timestampOf(reader: WireReader): [seconds: number, nanoseconds: number] {
  let seconds = 0;
  let nanoseconds = 0;
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else if (tag === 16) nanoseconds = reader.int64();
    else reader.skip(tag & 7);
  }
  return [seconds, nanoseconds];
}

/** JSON cannot write a time before year 0 or after 9999, so that it counts as unset. */
function isInRange(seconds: number): boolean {
  const year = new Date(seconds * 1000).getUTCFullYear();
  return year >= 0 && year <= 9999;
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function twoDigits(value: number, at: number): void {
  scratch[at] = 48 + Math.floor(value / 10);
  scratch[at + 1] = 48 + (value % 10);
}

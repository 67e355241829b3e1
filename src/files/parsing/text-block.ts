import { BACKSLASH, NEWLINE, QUOTE, SPACE, TAB } from '../../kube/ascii.ts';
import { controlsAnd } from './byte-sets.ts';
import type { JsonBytes } from './json-bytes.ts';

const endsRun = controlsAnd('"\\');
const lineBreak = Buffer.from('\\n');
const tab = Buffer.from('\\t');

/**
 * Writes a text of several lines of YAML, each indented by `margin`, as it stands in a string of JSON; without the
 * breaks at its end. Returns where the first line begins that is none of it; -1: there is a control character in it.
 */
export function copyTextBlock(
  bytes: Buffer,
  from: number,
  margin: number,
  json: JsonBytes,
): number {
  let start = from;
  // Breaks of lines are written once more text follows.
  let breaks = 0;
  while (start < bytes.length) {
    const end = start + margin;
    let at = start;
    while (at < end && bytes[at] === SPACE) at++;
    if (bytes[at] === NEWLINE) breaks++;
    else if (at < end) break;
    else {
      for (; breaks > 0; breaks--) json.copy(lineBreak, 0, 2);
      at = copyLine(bytes, at, json);
      if (at < 0) return -1;
      breaks = 1;
    }
    start = at + 1;
  }
  return start;
}

/** Where the line ends. */
function copyLine(bytes: Buffer, from: number, json: JsonBytes): number {
  let start = from;
  let at = from;
  for (;;) {
    while (endsRun[bytes[at] as number] === 0) at++;
    const byte = bytes[at] as number;
    json.copy(bytes, start, at);
    if (byte === NEWLINE) return at;
    if (byte === TAB) json.copy(tab, 0, 2);
    else if (byte === QUOTE || byte === BACKSLASH) {
      json.push(BACKSLASH);
      json.push(byte);
    } else return -1;
    at++;
    start = at;
  }
}

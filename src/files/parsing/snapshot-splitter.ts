import { CLOSE_BRACKET, COMMA, NEWLINE } from '../../kube/ascii.ts';
import { type InputPart, TextCapture } from './input-part.ts';

const beginning = Buffer.from('{"apiVersion":"kubectl-gc/v');
const longestBeginning = `${beginning}999","kind":"Snapshot",`.length;
const headerEnd = '"objects":[\n';
/** One line of it may hold much of what was read besides objects. */
const mostLineBytes = 256 * 1024 * 1024;

/** The apiVersion of the saved snapshot that begins at `at`; undefined when none does, 'unknown' when more has to be seen. */
export function snapshotVersionAt(chunk: Buffer, at: number): string | undefined {
  // Each line of NDJSON is asked: most differ in their first bytes, so no text is made of them.
  const seen = Math.min(chunk.length - at, beginning.length);
  for (let index = 0; index < seen; index++) {
    if (chunk[at + index] !== beginning[index]) return undefined;
  }
  if (seen < beginning.length) return 'unknown';
  const text = chunk.toString('latin1', at, at + longestBeginning);
  const told = /^\{"apiVersion":"(kubectl-gc\/v[1-9]\d{0,2})","kind":"Snapshot",/.exec(text);
  if (told) return told[1];
  return text.length < longestBeginning ? 'unknown' : undefined;
}

/** Cuts a saved snapshot at its lines into its header, its objects and its end, and sums it up. */
export class SnapshotSplitter {
  /** 1-based line of the next byte. */
  line: number;
  readonly #emit: (part: InputPart) => void;
  #state: 'header' | 'objects' | 'end' = 'header';
  readonly #startLine: number;
  #atLineStart = true;
  #header = '';
  readonly #text = new TextCapture(mostLineBytes);
  #crc = 0;
  /** Other files have no checksum, and zlib takes longer to load than a small one to read. */
  readonly #crc32 = process.getBuiltinModule('node:zlib').crc32;

  constructor(emit: (part: InputPart) => void, line: number) {
    this.#emit = emit;
    this.line = line;
    this.#startLine = line;
  }

  /** Reads on from `start`; returns the index behind the snapshot, or -1 when it goes on in the next chunk. */
  write(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length) {
      if (this.#state === 'objects' && this.#atLineStart && chunk[at] === CLOSE_BRACKET) {
        this.#state = 'end';
        this.#crc = this.#crc32(chunk.subarray(start, at), this.#crc);
      }
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline + 1;
      this.#text.add(chunk, at, end);
      this.#atLineStart = newline >= 0;
      at = end;
      if (newline < 0) break;
      this.#endLine();
      this.line++;
      if (this.#state === 'end') return at;
    }
    // The last line holds the sum, and is not summed up.
    if (this.#state !== 'end') this.#crc = this.#crc32(chunk.subarray(start), this.#crc);
    return -1;
  }

  /** The input ends inside the snapshot. */
  cutOff(): void {
    this.#emit({ kind: 'snapshot-end', line: this.#startLine, crc: undefined, told: undefined });
  }

  #endLine(): void {
    const text = this.#text.take();
    if (this.#state === 'objects') {
      const end = text.length - (text.charCodeAt(text.length - 2) === COMMA ? 2 : 1);
      this.#emit({ kind: 'snapshot-object', text: text.slice(0, end), line: this.line });
    } else if (this.#state === 'end') {
      const told = /^\],"crc32":"([0-9a-f]{8})"\}\n$/.exec(text)?.[1];
      const crc = this.#crc.toString(16).padStart(8, '0');
      this.#emit({ kind: 'snapshot-end', line: this.#startLine, crc, told });
    } else {
      this.#header += text;
      if (text !== headerEnd) return;
      this.#emit({ kind: 'snapshot-start', text: `${this.#header}]}`, line: this.line });
      this.#header = '';
      this.#state = 'objects';
    }
  }
}

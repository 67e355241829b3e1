import { CLOSE_BRACKET, NEWLINE } from '../../kube/ascii.ts';
import { bodyStart } from '../../snapshot/saved-blocks.ts';
import { type InputPart, TextCapture } from './input-part.ts';

const beginning = Buffer.from('{"apiVersion":"kubectl-gc/v');
const longestBeginning = `${beginning}999","kind":"Snapshot",`.length;
const headerEnd = '"blocks":[\n';
/** One line of it may hold much of what was read besides objects. */
const mostLineBytes = 256 * 1024 * 1024;

/**
 * The version of the saved snapshot that begins at `at`. Undefined when none does, or one of version 1, whose
 * objects are elements of a list; 'unknown' when more has to be seen.
 */
export function snapshotVersionAt(chunk: Buffer, at: number): number | 'unknown' | undefined {
  // Each line of NDJSON is asked: most differ in their first bytes, so no text is made of them.
  const seen = Math.min(chunk.length - at, beginning.length);
  for (let index = 0; index < seen; index++) {
    if (chunk[at + index] !== beginning[index]) return undefined;
  }
  if (seen < beginning.length) return 'unknown';
  const text = chunk.toString('latin1', at, at + longestBeginning);
  const told = /^\{"apiVersion":"kubectl-gc\/v([1-9]\d{0,2})","kind":"Snapshot",/.exec(text);
  if (told) return told[1] === '1' ? undefined : Number(told[1]);
  return text.length < longestBeginning ? 'unknown' : undefined;
}

/** Cuts a saved snapshot of version 2 at its lines into its header, its blocks and its end, and sums it up. */
export class SnapshotSplitter {
  /** 1-based line of the next byte. */
  line: number;
  readonly #emit: (part: InputPart) => void;
  #state: 'header' | 'columns' | 'body' | 'body-end' | 'end' = 'header';
  readonly #startLine: number;
  #atLineStart = true;
  #blockLine = 0;
  #header = '';
  #columns = '';
  readonly #text = new TextCapture(mostLineBytes);
  readonly #body = new TextCapture(mostLineBytes);
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
      if (this.#atLineStart && chunk[at] === CLOSE_BRACKET) this.#startEnd(chunk, start, at);
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline + 1;
      (this.#state === 'body' ? this.#body : this.#text).add(chunk, at, end);
      this.#atLineStart = newline >= 0;
      at = end;
      if (newline < 0) break;
      this.line++;
      if (this.#state === 'end') {
        this.#emitEnd();
        return at;
      }
      this.#endLine();
    }
    // The last line holds the sum, and is not summed up.
    if (this.#state !== 'end') this.#crc = this.#crc32(chunk.subarray(start), this.#crc);
    return -1;
  }

  /** The input ends inside the snapshot. */
  cutOff(): void {
    this.#emit({ kind: 'snapshot-end', line: this.#startLine, crc: undefined, told: undefined });
  }

  /** A line begins with a bracket: it ends the body of a block, or all blocks. */
  #startEnd(chunk: Buffer, start: number, at: number): void {
    if (this.#state === 'body') this.#state = 'body-end';
    if (this.#state !== 'columns') return;
    this.#state = 'end';
    this.#crc = this.#crc32(chunk.subarray(start, at), this.#crc);
  }

  #endLine(): void {
    if (this.#state === 'header') {
      const text = this.#text.take();
      this.#header += text;
      if (text !== headerEnd) return;
      this.#emit({ kind: 'snapshot-start', text: `${this.#header}]}`, line: this.line });
      this.#header = '';
      this.#startBlock();
    } else if (this.#state === 'columns') {
      const text = this.#text.take().replace(/,?\n$/, '');
      if (text.endsWith(bodyStart)) {
        this.#columns = `${text}]}`;
        this.#state = 'body';
      } else this.#emitBlock(text, '');
    } else if (this.#state === 'body-end') {
      this.#text.clear();
      // Its last line ends, too.
      this.#emitBlock(this.#columns, this.#body.take().slice(0, -1));
    }
  }

  #startBlock(): void {
    this.#state = 'columns';
    this.#blockLine = this.line;
  }

  #emitBlock(text: string, facts: string): void {
    this.#emit({ kind: 'snapshot-block', text, facts, line: this.#blockLine });
    this.#startBlock();
  }

  #emitEnd(): void {
    const told = /^\],"crc32":"([0-9a-f]{8})"\}\n$/.exec(this.#text.take())?.[1];
    const crc = this.#crc.toString(16).padStart(8, '0');
    this.#emit({ kind: 'snapshot-end', line: this.#startLine, crc, told });
  }
}

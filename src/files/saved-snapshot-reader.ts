import { isGcError } from '../errors.ts';
import { type Json, jsonOf } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import { shareEqualParts } from '../kube/record-codec.ts';
import { invalid } from '../snapshot/evidence.ts';
import { CLOSE_BRACKET, NEWLINE } from '../syntax/ascii.ts';
import { objectFault } from './object-fault.ts';
import { type InputPart, TextCapture } from './parsing/input-part.ts';
import { ParseFailure, parseJson } from './parsing/parse-json.ts';
import { decodeRecord, decodeSnapshotHeader, type SnapshotHeader } from './saved-snapshot.ts';

const beginning = Buffer.from('{"apiVersion":"kubectl-gc/v');
const longestBeginning = `${beginning}999","kind":"Snapshot",`.length;
const headerEnd = '"objects":[\n';
/** One line of it may hold much of what was read besides objects. */
const mostLineBytes = 256 * 1024 * 1024;

/**
 * Reads a saved snapshot by its lines: its header, its objects, and the sum at its end. Its content counts only
 * after its end shows that it is complete.
 */
export class SavedSnapshotReader {
  /** 1-based line of the next byte. */
  line: number;
  readonly #path: string;
  readonly #emit: (part: InputPart) => void;
  readonly #startLine: number;
  #state: 'header' | 'objects' | 'end' = 'header';
  readonly #text = new TextCapture(mostLineBytes);
  #crc = 0;
  /** Other files have no checksum, and zlib takes longer to load than a small one to read. */
  readonly #crc32 = process.getBuiltinModule('node:zlib').crc32;
  #headerText = '';
  #header: SnapshotHeader | undefined;
  readonly #records: ObjectRecord[] = [];
  #place: Place | undefined;
  /** How many objects it says that it has. */
  #objectCount = 0;
  #fault: string | undefined;

  /** The apiVersion of the saved snapshot that begins at `at`; undefined when none does, 'unknown' when more has to be seen. */
  static versionAt(chunk: Buffer, at: number): string | undefined {
    // Each line of NDJSON is asked: most differ in their first bytes, so no text is made of them.
    const seen = Math.min(chunk.length - at, beginning.length);
    for (let index = 0; index < seen; index++) {
      if (chunk[at + index] !== beginning[index]) return undefined;
    }
    if (seen < beginning.length) return 'unknown';
    const text = chunk.toString('latin1', at, at + longestBeginning);
    const head = /^\{"apiVersion":"(kubectl-gc\/v[1-9]\d{0,2})","kind":"Snapshot",/.exec(text);
    if (head) return head[1];
    return text.length < longestBeginning ? 'unknown' : undefined;
  }

  constructor(path: string, emit: (part: InputPart) => void, line: number) {
    this.#path = path;
    this.#emit = emit;
    this.line = line;
    this.#startLine = line;
  }

  /** Reads on from `start`; returns the index behind the snapshot, or -1 when it goes on in the next chunk. */
  write(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const isLineStart = this.#text.bytes === 0;
      if (this.#state === 'objects' && isLineStart && chunk[at] === CLOSE_BRACKET) {
        this.#state = 'end';
        this.#crc = this.#crc32(chunk.subarray(start, at), this.#crc);
      }
      const newline = chunk.indexOf(NEWLINE, at);
      const end = newline < 0 ? chunk.length : newline + 1;
      this.#text.add(chunk, at, end);
      at = end;
      if (newline < 0) break;
      this.#endLine();
      this.line++;
      if (this.#state === 'end') return at;
    }
    // The last line contains the checksum, and is not part of it.
    if (this.#state !== 'end') this.#crc = this.#crc32(chunk.subarray(start), this.#crc);
    return -1;
  }

  /** The input ends inside the snapshot. */
  cutOff(): void {
    const there = this.#header ? `after ${this.#readSoFar()}` : 'before its first object';
    this.#refuse('truncated', `the saved snapshot that begins here is cut off ${there}`);
  }

  #endLine(): void {
    const text = this.#text.take();
    if (this.#state === 'objects') {
      this.#try(() => this.#addObject(text.endsWith(',\n') ? text.slice(0, -2) : text));
    } else if (this.#state === 'end') this.#end(text);
    else {
      this.#headerText += text;
      if (text !== headerEnd) return;
      this.#try(() => this.#readHeader());
      this.#headerText = '';
      this.#state = 'objects';
    }
  }

  #readHeader(): void {
    const json = jsonOf(parseJson(`${this.#headerText}]}`)) ?? {};
    this.#header = decodeSnapshotHeader(json);
    if (!Number.isSafeInteger(json.objectCount)) {
      throw invalid('it does not say how many objects it has');
    }
    this.#objectCount = Number(json.objectCount);
  }

  #addObject(text: string): void {
    const types = this.#header?.types;
    if (!types || this.#fault !== undefined) return;
    const object = parseJson(text);
    const fault = objectFault(object);
    if (fault !== undefined) throw invalid(fault);
    // One place for all: a compressed file has no lines to look at.
    this.#place ??= { path: this.#path, line: this.line };
    const record = decodeRecord(object as Json, types, this.#place);
    shareEqualParts(record, this.#records.at(-1));
    this.#records.push(record);
  }

  #try(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (isGcError(error)) this.#fault ??= error.message;
      else if (error instanceof ParseFailure) {
        this.#fault ??= `the saved snapshot cannot be used: ${error.message}`;
      } else throw error;
    }
  }

  /** `text`: the line with the CRC-32 of what stands before it. */
  #end(text: string): void {
    const header = this.#header;
    const records = this.#records;
    const expected = /^\],"crc32":"([0-9a-f]{8})"\}\n$/.exec(text)?.[1];
    const crc = this.#crc.toString(16).padStart(8, '0');
    if (expected === undefined) this.cutOff();
    else if (crc !== expected) {
      const sums = `its CRC-32 is ${crc}, not ${expected}`;
      this.#refuse(
        'unreadable',
        `the saved snapshot that begins here is damaged, or was changed after it was saved: ${sums}`,
      );
    } else if (this.#fault !== undefined || !header || records.length !== this.#objectCount) {
      this.#refuse('unreadable', this.#fault ?? `only ${this.#readSoFar()} are there`);
    } else this.#emit({ kind: 'snapshot', header, records, line: this.#startLine });
  }

  #readSoFar(): string {
    return `${this.#records.length} of its ${this.#objectCount} objects`;
  }

  #refuse(reason: 'truncated' | 'unreadable', why: string): void {
    const message = `${why}. The file was not used: each object that it might contain counts as unknown`;
    this.#emit({ kind: 'broken', reason, message, line: this.#startLine, lostMore: true });
  }
}

import { NEWLINE, OPEN_BRACE, OPEN_BRACKET, SPACE } from '../../syntax/ascii.ts';
import { refusalOfVersion } from '../saved-snapshot.ts';
import type { SavedSnapshotReader } from '../saved-snapshot-reader.ts';
import {
  containerLogEnd,
  isContainerLogStart,
  isDocumentMarker,
  isEmptyLine,
  withoutBreak,
} from './input-lines.ts';
import { type InputPart, maxPartBytes } from './input-part.ts';
import { JsonSplitter } from './json-splitter.ts';
import { UnreadableInput } from './parse-json.ts';
import { YamlSplitter } from './yaml-splitter.ts';

const lineBreak = Buffer.from('\n');
/** No line that begins or ends something is longer. */
const longestMarker = 4096;

/** What is being read. */
interface Mode {
  /** Reads on from `at` and answers how far it came: no further, where a line must be complete first. */
  readonly read: (bytes: Buffer, at: number) => number;
  /** The input ends in it: cut off, or by itself. */
  readonly end: (cutOff: boolean) => void;
}

/**
 * Recognises the format of an input by its content (JSON values one after the other, YAML documents, a
 * cluster-info dump with logs in between) and cuts it into parts, whatever the chunks' sizes.
 */
export class DocumentReader {
  readonly #path: string;
  readonly #emit: (part: InputPart) => void;
  readonly #snapshots: typeof SavedSnapshotReader | undefined;
  readonly #gap = this.#between((bytes, at) => this.#readGap(bytes, at));
  readonly #garbage = this.#between((bytes, at) => this.#readGarbage(bytes, at));
  #mode = this.#gap;
  #line = 1;
  /** What has come and was not read yet: a part of a line. */
  #rest: Buffer = Buffer.alloc(0);
  #atLineStart = true;
  #afterMarker = false;
  #sawJson = false;

  /** `snapshots` reads saved ones; without it they are JSON as all other. */
  constructor(
    path: string,
    emit: (part: InputPart) => void,
    snapshots?: typeof SavedSnapshotReader,
  ) {
    this.#path = path;
    this.#emit = emit;
    this.#snapshots = snapshots;
  }

  write(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (at < bytes.length) {
      const mode = this.#mode;
      const next = mode.read(bytes, at);
      if (next === at && mode === this.#mode) break;
      at = next;
    }
    this.#rest = bytes.subarray(at);
    if (this.#rest.length > maxPartBytes)
      throw new UnreadableInput(`line ${this.#line} does not end`);
  }

  /** The input ends here: by itself, or cut off. A line without a line break gets one (LineReader.Read, apimachinery/pkg/util/yaml). */
  end(cutOff: boolean): void {
    if (this.#rest.length > 0 && !cutOff) this.write(lineBreak);
    this.#mode.end(cutOff);
  }

  /** Not within anything that could be cut off. */
  #between(read: Mode['read']): Mode {
    const end = (cutOff: boolean) => {
      if (cutOff) this.#emitBroken('truncated', 'the input is cut off', this.#line);
    };
    return { read, end };
  }

  #json(): Mode {
    const splitter = new JsonSplitter(this.#emit, this.#line);
    const read = (bytes: Buffer, at: number) => {
      const end = splitter.write(bytes, at);
      if (end < 0) return bytes.length;
      this.#line = splitter.line;
      this.#atLineStart = splitter.atLineStart;
      this.#mode = splitter.broken ? this.#garbage : this.#gap;
      return end;
    };
    return { read, end: () => splitter.cutOff() };
  }

  #yaml(): Mode {
    const splitter = new YamlSplitter(this.#emit, this.#line);
    const read = (bytes: Buffer, at: number) => {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0) return at;
      if (splitter.add(lineIn(bytes, at, newline), this.#line)) return this.#nextLine(newline);
      splitter.end();
      this.#mode = this.#gap;
      return at;
    };
    const end = (cutOff: boolean) => (cutOff ? splitter.cutOff() : splitter.end());
    return { read, end };
  }

  #snapshotOfVersion(version: string | undefined): Mode | undefined {
    if (version === undefined || !this.#snapshots) return undefined;
    const refusal = refusalOfVersion(version);
    if (refusal !== undefined) {
      this.#emitBroken('unreadable', refusal, this.#line);
      return this.#between((bytes) => bytes.length);
    }
    const reader = new this.#snapshots(this.#path, this.#emit, this.#line);
    const read = (bytes: Buffer, at: number) => {
      const end = reader.write(bytes, at);
      this.#line = reader.line;
      if (end < 0) return bytes.length;
      this.#atLineStart = true;
      this.#mode = this.#gap;
      return end;
    };
    const end = (cutOff: boolean) => {
      // Its last line break may be missing.
      if (cutOff || reader.write(lineBreak, 0) < 0) reader.cutOff();
    };
    return { read, end };
  }

  #containerLog(start: string): Mode {
    const line = this.#line;
    const last = containerLogEnd(start);
    const read = (bytes: Buffer, at: number) => {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0) return this.#passLongLine(bytes, at);
      // A log need not end with a line break.
      if (withoutBreak(lineIn(bytes, at, newline)).endsWith(last)) this.#mode = this.#gap;
      return this.#nextLine(newline);
    };
    const message = 'the container log that begins here is cut off';
    return { read, end: () => this.#emitBroken('truncated', message, line) };
  }

  /** Between two documents. */
  #readGap(bytes: Buffer, start: number): number {
    let lineStart = start;
    let at = start;
    for (let byte = bytes[at]; byte !== undefined && byte <= SPACE; byte = bytes[++at]) {
      if (byte !== NEWLINE) continue;
      this.#line++;
      this.#atLineStart = true;
      lineStart = at + 1;
    }
    const byte = bytes[at];
    if (!this.#afterMarker && (byte === OPEN_BRACE || byte === OPEN_BRACKET)) {
      if (at + 1 === bytes.length) return lineStart;
      // `{{` begins a template, not an object.
      if (bytes[at + 1] !== OPEN_BRACE || byte === OPEN_BRACKET) {
        const version = this.#snapshots?.versionAt(bytes, at);
        if (version === 'unknown') return lineStart;
        this.#sawJson = true;
        this.#mode = this.#snapshotOfVersion(version) ?? this.#json();
        return at;
      }
    }
    const newline = bytes.indexOf(NEWLINE, at);
    return newline < 0 ? lineStart : this.#startOther(bytes, lineStart, newline);
  }

  #startOther(bytes: Buffer, lineStart: number, newline: number): number {
    const line = lineIn(bytes, lineStart, newline);
    const text = withoutBreak(line);
    if (isContainerLogStart(text)) {
      this.#mode = this.#containerLog(text);
      return this.#nextLine(newline);
    }
    if (this.#atLineStart && isDocumentMarker(line)) {
      this.#sawJson = false;
      this.#afterMarker = text.startsWith('-');
      const behind = text.slice(3).trim();
      if (behind === '' || behind.startsWith('#')) return this.#nextLine(newline);
      if (this.#afterMarker) return this.#refuseMarker(newline);
    } else if (isEmptyLine(line) || line.startsWith('%')) {
      return this.#nextLine(newline);
    } else if (this.#sawJson) {
      const message = 'neither JSON nor the beginning of a YAML document';
      this.#emitBroken('unreadable', message, this.#line, false);
      this.#mode = this.#garbage;
      return this.#nextLine(newline);
    }
    this.#afterMarker = false;
    this.#mode = this.#yaml();
    return lineStart;
  }

  /** As kubectl does (YAMLReader.Read of apimachinery, util/yaml/decoder.go). */
  #refuseMarker(newline: number): number {
    const message = 'invalid document separator: only a comment may follow ---';
    this.#emitBroken('unreadable', message, this.#line);
    this.#afterMarker = false;
    this.#mode = this.#garbage;
    return this.#nextLine(newline);
  }

  /** Behind something broken, to a line that begins something. */
  #readGarbage(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at);
    const isLong = newline < 0 && bytes.length - at > longestMarker;
    if (this.#atLineStart && (newline >= 0 || isLong)) {
      const line = lineIn(bytes, at, isLong ? at + longestMarker : newline);
      if (beginsSomething(line)) {
        this.#mode = this.#gap;
        return at;
      }
    }
    return newline < 0 ? this.#passLongLine(bytes, at) : this.#nextLine(newline);
  }

  /** Of a line that goes on, only as much is kept as shows what it is. */
  #passLongLine(bytes: Buffer, at: number): number {
    if (bytes.length - at <= longestMarker) return at;
    this.#atLineStart = false;
    return bytes.length - longestMarker;
  }

  #nextLine(newline: number): number {
    this.#line++;
    this.#atLineStart = true;
    return newline + 1;
  }

  #emitBroken(
    reason: 'unreadable' | 'truncated',
    message: string,
    line: number,
    lostMore = true,
  ): void {
    this.#emit({ kind: 'broken', reason, message, line, lostMore });
  }
}

/** A line with its line break, which stands at `newline`. */
function lineIn(bytes: Buffer, start: number, newline: number): string {
  return bytes.toString('utf8', start, newline + 1);
}

function beginsSomething(line: string): boolean {
  return /^[[{]/.test(line) || isDocumentMarker(line) || isContainerLogStart(withoutBreak(line));
}
